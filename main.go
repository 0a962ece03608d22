// Command keyskew says which keys of a store are hot, why, and what to do about it, from a capture or
// log of its requests.
package main

import (
	"os"

	"keyskew/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
