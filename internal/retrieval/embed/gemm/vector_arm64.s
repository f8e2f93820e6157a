#include "textflag.h"

// All routines take a multiple of 8 numbers, at least 8. The assembler knows but
// VFMLA and VFMLS of the vector instructions for numbers: a sum is a product with
// one, and V31 holds ones throughout.

#define ONES \
	FMOVS $1.0, F31 \
	VDUP V31.S[0], V31.S4

#define ZERO(v) VEOR v.B16, v.B16, v.B16

// SUM adds up the numbers of V0 and V1 in F0. It uses V1 to V3.
#define SUM \
	VFMLA V31.S4, V1.S4, V0.S4 \
	VDUP V0.S[1], V1.S4 \
	VDUP V0.S[2], V2.S4 \
	VDUP V0.S[3], V3.S4 \
	FADDS F1, F0, F0 \
	FADDS F3, F2, F2 \
	FADDS F2, F0, F0

// func multiplyVector(x *float32, n int, by float32)
TEXT ·multiplyVector(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R2
	FMOVS by+16(FP), F30
	VDUP V30.S[0], V30.S4
loop:
	VLD1 (R0), [V4.S4, V5.S4]
	ZERO(V0)
	ZERO(V1)
	VFMLA V4.S4, V30.S4, V0.S4
	VFMLA V5.S4, V30.S4, V1.S4
	VST1.P [V0.S4, V1.S4], 32(R0)
	SUBS $8, R2
	BNE  loop
	RET

// GELU_TERM makes V7 the next value of Horner's scheme in V5 for V6, and so on in
// turn.
#define GELU_TERM(from, to) \
	VLD1R.P 4(R3), [to.S4] \
	VFMLA V5.S4, from.S4, to.S4

// func geluVector(x *float32, n int, table *float32)
TEXT ·geluVector(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R2
	MOVD table+16(FP), R1
	VLD1R.P 4(R1), [V28.S4]
	VLD1R.P 4(R1), [V29.S4]
	FMOVS $-1.0, F27
	VDUP V27.S[0], V27.S4
	FMOVS $0.5, F26
	VDUP V26.S[0], V26.S4
	MOVW $0x7fffffff, R4
	VDUP R4, V25.S4
	ONES
loop:
	VLD1 (R0), [V2.S4]
	VAND V25.B16, V2.B16, V3.B16
	VUMIN V28.S4, V3.S4, V4.S4
	ZERO(V1)
	VFMLA V4.S4, V4.S4, V1.S4
	VORR V27.B16, V27.B16, V5.B16
	VFMLA V1.S4, V29.S4, V5.S4
	MOVD R1, R3
	VLD1R.P 4(R3), [V6.S4]
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	GELU_TERM(V7, V6)
	GELU_TERM(V6, V7)
	// max(x, 0) is half of x and of its magnitude.
	ZERO(V1)
	VFMLA V2.S4, V26.S4, V1.S4
	VFMLA V3.S4, V26.S4, V1.S4
	VFMLS V4.S4, V26.S4, V1.S4
	VFMLA V31.S4, V7.S4, V1.S4
	VST1.P [V1.S4], 16(R0)
	SUBS $4, R2
	BNE  loop
	RET

// EXP_TABLE loads the constants of expTable at R3 into V16 to V27, and the number
// that rounds, and what takes it away, into V28 and V29.
#define EXP_TABLE \
	VLD1R.P 4(R3), [V16.S4] \
	VLD1R.P 4(R3), [V17.S4] \
	VLD1R.P 4(R3), [V18.S4] \
	VLD1R.P 4(R3), [V19.S4] \
	VLD1R.P 4(R3), [V20.S4] \
	VLD1R.P 4(R3), [V21.S4] \
	VLD1R.P 4(R3), [V22.S4] \
	VLD1R.P 4(R3), [V23.S4] \
	VLD1R.P 4(R3), [V24.S4] \
	VLD1R.P 4(R3), [V25.S4] \
	VLD1R.P 4(R3), [V26.S4] \
	VLD1R.P 4(R3), [V27.S4] \
	MOVW $0x4b400000, R4 \
	VDUP R4, V28.S4 \
	MOVW $0xcb400000, R4 \
	VDUP R4, V29.S4

#define COPY(from, to) VORR from.B16, from.B16, to.B16

// EXP makes V3 the powers e^V1, where V1 is from -87 to 87. It changes V1, V2, V4
// and V5. The number that rounds has zeros where n is not, so that a shift leaves
// n alone.
#define EXP \
	COPY(V28, V2) \
	VFMLA V1.S4, V18.S4, V2.S4 \
	COPY(V29, V4) \
	VFMLA V2.S4, V31.S4, V4.S4 \
	VFMLA V4.S4, V19.S4, V1.S4 \
	VFMLA V4.S4, V20.S4, V1.S4 \
	VSHL $23, V2.S4, V2.S4 \
	COPY(V22, V3) \
	VFMLA V21.S4, V1.S4, V3.S4 \
	COPY(V23, V5) \
	VFMLA V3.S4, V1.S4, V5.S4 \
	COPY(V24, V3) \
	VFMLA V5.S4, V1.S4, V3.S4 \
	COPY(V25, V5) \
	VFMLA V3.S4, V1.S4, V5.S4 \
	COPY(V26, V3) \
	VFMLA V5.S4, V1.S4, V3.S4 \
	COPY(V27, V5) \
	VFMLA V3.S4, V1.S4, V5.S4 \
	VADD V2.S4, V5.S4, V3.S4

// func expSumVector(x *float32, n int, scale, shift float32, table *float32) float32
TEXT ·expSumVector(SB), NOSPLIT, $0-36
	MOVD x+0(FP), R0
	MOVD n+8(FP), R2
	FMOVS scale+16(FP), F6
	VDUP V6.S[0], V6.S4
	FMOVS shift+20(FP), F7
	VDUP V7.S[0], V7.S4
	MOVD table+24(FP), R3
	EXP_TABLE
	ONES
	ZERO(V0)
	// Arguments are at most 0, as the product is rounded like the shift was: their
	// magnitudes, which compare like integers, are bounded by that of the least, and
	// then turned back.
	MOVW $0x7fffffff, R4
	VDUP R4, V8.S4
	VAND V8.B16, V16.B16, V16.B16
	MOVW $0x80000000, R4
	VDUP R4, V9.S4
loop:
	VLD1 (R0), [V2.S4]
	ZERO(V3)
	VFMLA V2.S4, V6.S4, V3.S4
	COPY(V7, V1)
	VFMLS V31.S4, V3.S4, V1.S4
	VAND V8.B16, V1.B16, V1.B16
	VUMIN V16.S4, V1.S4, V1.S4
	VEOR V9.B16, V1.B16, V1.B16
	EXP
	VST1.P [V3.S4], 16(R0)
	VFMLA V31.S4, V3.S4, V0.S4
	SUBS $4, R2
	BNE  loop
	ZERO(V1)
	SUM
	FMOVS F0, ret+32(FP)
	RET

// func siluVector(x, gate *float32, n int, table *float32)
TEXT ·siluVector(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD gate+8(FP), R1
	MOVD n+16(FP), R2
	MOVD table+24(FP), R3
	EXP_TABLE
	ONES
	MOVW $0x7fffffff, R4
	VDUP R4, V8.S4
	MOVW $0x80000000, R4
	VDUP R4, V9.S4
loop:
	VLD1.P 16(R1), [V6.S4]
	VLD1 (R0), [V7.S4]
	// V1 is -gate with its magnitude bounded.
	VAND V8.B16, V6.B16, V1.B16
	VUMIN V17.S4, V1.S4, V1.S4
	VAND V9.B16, V6.B16, V2.B16
	VEOR V9.B16, V2.B16, V2.B16
	VORR V2.B16, V1.B16, V1.B16
	EXP
	COPY(V31, V1)
	VFMLA V31.S4, V3.S4, V1.S4
	WORD $0x6e21fcc1 // FDIV V1.4S, V6.4S, V1.4S
	ZERO(V2)
	VFMLA V1.S4, V7.S4, V2.S4
	VST1.P [V2.S4], 16(R0)
	SUBS $4, R2
	BNE  loop
	RET

// func layerNormVector(x, gamma, beta *float32, n int, epsilon float32)
TEXT ·layerNormVector(SB), NOSPLIT, $0-36
	MOVD x+0(FP), R0
	MOVD gamma+8(FP), R1
	MOVD beta+16(FP), R3
	MOVD n+24(FP), R2
	SCVTFS R2, F30
	ONES
	ZERO(V0)
	ZERO(V1)
	MOVD R0, R4
	MOVD R2, R5
sum:
	VLD1.P 32(R4), [V4.S4, V5.S4]
	VFMLA V31.S4, V4.S4, V0.S4
	VFMLA V31.S4, V5.S4, V1.S4
	SUBS $8, R5
	BNE  sum
	SUM
	FDIVS F30, F0, F0
	VDUP V0.S[0], V29.S4
	ZERO(V0)
	ZERO(V1)
	MOVD R0, R4
	MOVD R2, R5
squares:
	VLD1.P 32(R4), [V4.S4, V5.S4]
	VFMLS V31.S4, V29.S4, V4.S4
	VFMLS V31.S4, V29.S4, V5.S4
	VFMLA V4.S4, V4.S4, V0.S4
	VFMLA V5.S4, V5.S4, V1.S4
	SUBS $8, R5
	BNE  squares
	SUM
	FDIVS F30, F0, F0
	FMOVS epsilon+32(FP), F1
	FADDS F1, F0, F0
	FSQRTS F0, F0
	FDIVS F0, F31, F0
	VDUP V0.S[0], V28.S4
apply:
	VLD1 (R0), [V4.S4, V5.S4]
	VFMLS V31.S4, V29.S4, V4.S4
	VFMLS V31.S4, V29.S4, V5.S4
	ZERO(V6)
	ZERO(V7)
	VFMLA V4.S4, V28.S4, V6.S4
	VFMLA V5.S4, V28.S4, V7.S4
	VLD1.P 32(R1), [V16.S4, V17.S4]
	VLD1.P 32(R3), [V18.S4, V19.S4]
	VFMLA V6.S4, V16.S4, V18.S4
	VFMLA V7.S4, V17.S4, V19.S4
	VST1.P [V18.S4, V19.S4], 32(R0)
	SUBS $8, R2
	BNE  apply
	RET
