#include "textflag.h"

// The assembler has no names for these: SMULL and SMULL2 multiply the lower and
// the upper eight bytes of two registers, SADALP adds pairs of the products to
// four sums of 32 bits.
#define SMULL(m, n, d) WORD $(0x0E20C000 | (m<<16) | (n<<5) | d)
#define SMULL2(m, n, d) WORD $(0x4E20C000 | (m<<16) | (n<<5) | d)
#define SADALP(n, d) WORD $(0x4E606800 | (n<<5) | d)

// func dotsNEON(dst *int32, rows, q *int8, count, n int)
TEXT ·dotsNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD q+16(FP), R2
	MOVD count+24(FP), R3
	MOVD n+32(FP), R4

row:
	MOVD R2, R5
	MOVD R4, R6
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16

step: // 32 components
	VLD1.P 32(R1), [V0.B16, V1.B16]
	VLD1.P 32(R5), [V2.B16, V3.B16]
	SMULL(2, 0, 4)
	SMULL2(2, 0, 5)
	SMULL(3, 1, 6)
	SMULL2(3, 1, 7)
	SADALP(4, 16)
	SADALP(5, 17)
	SADALP(6, 16)
	SADALP(7, 17)
	SUBS   $32, R6, R6
	BNE    step

	VADD  V17.S4, V16.S4, V16.S4
	VADDV V16.S4, V16
	FMOVS F16, (R0)
	ADD   $4, R0
	SUBS  $1, R3, R3
	BNE   row
	RET
