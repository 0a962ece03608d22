#include "textflag.h"

// func lines(addresses []uintptr)
TEXT ·lines(SB), NOSPLIT, $0-24
	MOVD addresses_base+0(FP), R0
	MOVD addresses_len+8(FP), R1
loop:
	CBZ  R1, done
	MOVD (R0), R2
	PRFM (R2), PLDL1KEEP
	ADD  $8, R0
	SUB  $1, R1
	JMP  loop
done:
	RET
