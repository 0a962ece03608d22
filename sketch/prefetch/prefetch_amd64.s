#include "textflag.h"

// func lines(addresses []uintptr)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVQ addresses_base+0(FP), AX
	MOVQ addresses_len+8(FP), CX
loop:
	TESTQ CX, CX
	JEQ   done
	MOVQ  (AX), BX
	PREFETCHT0 (BX)
	ADDQ  $8, AX
	DECQ  CX
	JMP   loop
done:
	RET
