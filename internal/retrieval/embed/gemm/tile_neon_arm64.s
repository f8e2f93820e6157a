#include "textflag.h"

// A tile is held in V0 to V15, two registers a row. R0 to R7 point at the rows of
// a, R8 at the panel; R9 counts the terms left; R10 walks over the rows of c,
// which are R11 bytes apart.

#define LOAD_1 VLD1 (R10), [V0.S4, V1.S4]; ADD R11, R10
#define LOAD_2 LOAD_1; VLD1 (R10), [V2.S4, V3.S4]; ADD R11, R10
#define LOAD_3 LOAD_2; VLD1 (R10), [V4.S4, V5.S4]; ADD R11, R10
#define LOAD_4 LOAD_3; VLD1 (R10), [V6.S4, V7.S4]; ADD R11, R10
#define LOAD_5 LOAD_4; VLD1 (R10), [V8.S4, V9.S4]; ADD R11, R10
#define LOAD_6 LOAD_5; VLD1 (R10), [V10.S4, V11.S4]; ADD R11, R10
#define LOAD_7 LOAD_6; VLD1 (R10), [V12.S4, V13.S4]; ADD R11, R10
#define LOAD_8 LOAD_7; VLD1 (R10), [V14.S4, V15.S4]; ADD R11, R10

#define STORE_1 VST1 [V0.S4, V1.S4], (R10); ADD R11, R10
#define STORE_2 STORE_1; VST1 [V2.S4, V3.S4], (R10); ADD R11, R10
#define STORE_3 STORE_2; VST1 [V4.S4, V5.S4], (R10); ADD R11, R10
#define STORE_4 STORE_3; VST1 [V6.S4, V7.S4], (R10); ADD R11, R10
#define STORE_5 STORE_4; VST1 [V8.S4, V9.S4], (R10); ADD R11, R10
#define STORE_6 STORE_5; VST1 [V10.S4, V11.S4], (R10); ADD R11, R10
#define STORE_7 STORE_6; VST1 [V12.S4, V13.S4], (R10); ADD R11, R10
#define STORE_8 STORE_7; VST1 [V14.S4, V15.S4], (R10); ADD R11, R10

#define TERM_1 VLD1.P 32(R8), [V16.S4, V17.S4]; VLD1R.P 4(R0), [V18.S4]; VFMLA V16.S4, V18.S4, V0.S4; VFMLA V17.S4, V18.S4, V1.S4
#define TERM_2 TERM_1; VLD1R.P 4(R1), [V19.S4]; VFMLA V16.S4, V19.S4, V2.S4; VFMLA V17.S4, V19.S4, V3.S4
#define TERM_3 TERM_2; VLD1R.P 4(R2), [V20.S4]; VFMLA V16.S4, V20.S4, V4.S4; VFMLA V17.S4, V20.S4, V5.S4
#define TERM_4 TERM_3; VLD1R.P 4(R3), [V21.S4]; VFMLA V16.S4, V21.S4, V6.S4; VFMLA V17.S4, V21.S4, V7.S4
#define TERM_5 TERM_4; VLD1R.P 4(R4), [V22.S4]; VFMLA V16.S4, V22.S4, V8.S4; VFMLA V17.S4, V22.S4, V9.S4
#define TERM_6 TERM_5; VLD1R.P 4(R5), [V23.S4]; VFMLA V16.S4, V23.S4, V10.S4; VFMLA V17.S4, V23.S4, V11.S4
#define TERM_7 TERM_6; VLD1R.P 4(R6), [V24.S4]; VFMLA V16.S4, V24.S4, V12.S4; VFMLA V17.S4, V24.S4, V13.S4
#define TERM_8 TERM_7; VLD1R.P 4(R7), [V25.S4]; VFMLA V16.S4, V25.S4, V14.S4; VFMLA V17.S4, V25.S4, V15.S4

#define RUN(load, term, store, loop) \
	load \
	loop: \
	term \
	SUBS $1, R9 \
	BNE loop \
	MOVD c+24(FP), R10 \
	store \
	RET

// func tileNEON(a *float32, lda int, b, c *float32, ldc, k, rows int)
TEXT ·tileNEON(SB), NOSPLIT, $0-56
	MOVD a+0(FP), R0
	MOVD lda+8(FP), R12
	MOVD b+16(FP), R8
	MOVD c+24(FP), R10
	MOVD ldc+32(FP), R11
	MOVD k+40(FP), R9
	MOVD rows+48(FP), R13
	LSL  $2, R11
	ADD  R12<<2, R0, R1
	ADD  R12<<2, R1, R2
	ADD  R12<<2, R2, R3
	ADD  R12<<2, R3, R4
	ADD  R12<<2, R4, R5
	ADD  R12<<2, R5, R6
	ADD  R12<<2, R6, R7
	CMP  $8, R13
	BEQ  eight
	CMP  $7, R13
	BEQ  seven
	CMP  $6, R13
	BEQ  six
	CMP  $5, R13
	BEQ  five
	CMP  $4, R13
	BEQ  four
	CMP  $3, R13
	BEQ  three
	CMP  $2, R13
	BEQ  two
	RUN(LOAD_1, TERM_1, STORE_1, loop1)
two:
	RUN(LOAD_2, TERM_2, STORE_2, loop2)
three:
	RUN(LOAD_3, TERM_3, STORE_3, loop3)
four:
	RUN(LOAD_4, TERM_4, STORE_4, loop4)
five:
	RUN(LOAD_5, TERM_5, STORE_5, loop5)
six:
	RUN(LOAD_6, TERM_6, STORE_6, loop6)
seven:
	RUN(LOAD_7, TERM_7, STORE_7, loop7)
eight:
	RUN(LOAD_8, TERM_8, STORE_8, loop8)

// The assembler has no conversion of integers in vectors. So each code, which has 128 added, becomes the last
// byte of the float32 2^23 + code + 128, from which V6, 2^23 + 128, is subtracted: all of that is exact.

// SCALE converts the numbers of V17 and V18, which are the last bytes of such float32, and stores a row.
#define SCALE \
	VORR V5.B16, V17.B16, V17.B16 \
	VORR V5.B16, V18.B16, V18.B16 \
	VFMLS V7.S4, V6.S4, V17.S4 \
	VFMLS V7.S4, V6.S4, V18.S4 \
	VEOR V20.B16, V20.B16, V20.B16 \
	VEOR V21.B16, V21.B16, V21.B16 \
	VFMLA V0.S4, V17.S4, V20.S4 \
	VFMLA V1.S4, V18.S4, V21.S4 \
	VST1.P [V20.S4, V21.S4], 32(R0)

// ROW is SCALE for the bytes that are right bits above the lowest ones of each number of V2 and V3.
#define ROW(right) \
	VUSHR $right, V2.S4, V17.S4 \
	VUSHR $right, V3.S4, V18.S4 \
	VAND V4.B16, V17.B16, V17.B16 \
	VAND V4.B16, V18.B16, V18.B16 \
	SCALE

// func dequantizeNEON(dst *float32, codes *byte, scales *float32, groups, ahead int)
TEXT ·dequantizeNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD scales+16(FP), R2
	MOVD groups+24(FP), R3
	MOVD ahead+32(FP), R5
	ADD  R1, R5
	VLD1 (R2), [V0.S4, V1.S4]
	MOVW $0xff, R4
	VDUP R4, V4.S4
	MOVW $0x4b000000, R4
	VDUP R4, V5.S4
	MOVW $0x4b000080, R4
	VDUP R4, V6.S4
	FMOVS $1.0, F7
	VDUP V7.S[0], V7.S4
loop:
	PRFM (R5), PLDL1KEEP
	PRFM 64(R5), PLDL1KEEP
	VLD1 (R1), [V2.S4, V3.S4]
	VAND V4.B16, V2.B16, V17.B16
	VAND V4.B16, V3.B16, V18.B16
	SCALE
	ROW(8)
	ROW(16)
	ROW(24)
	ADD  $128, R1
	ADD  $128, R5
	SUBS $1, R3
	BNE  loop
	RET
