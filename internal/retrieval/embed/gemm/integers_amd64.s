#include "textflag.h"

DATA magnitude512<>+0(SB)/4, $0x7fffffff
GLOBL magnitude512<>(SB), RODATA|NOPTR, $4
DATA half256<>+0(SB)/4, $128
GLOBL half256<>(SB), RODATA|NOPTR, $4
DATA weight256<>+0(SB)/4, $256.0
GLOBL weight256<>(SB), RODATA|NOPTR, $4

// func magnitudeVNNI(x *float32, n int) float32
TEXT ·magnitudeVNNI(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VPBROADCASTD magnitude512<>(SB), Z2
	VPXORD Z0, Z0, Z0
most:
	VPANDD (SI), Z2, Z1
	VPMAXUD Z1, Z0, Z0
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  most
	VEXTRACTF64X4 $1, Z0, Y1
	VPMAXUD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VZEROUPPER
	MOVSS X0, ret+16(FP)
	RET

// SUM32 adds up the numbers of z, whose lower parts are y and x, times -128, and stores the sum. It uses
// the registers of t.
#define SUM32(z, y, x, ty, tx, to) \
	VEXTRACTI64X4 $1, z, ty \
	VPADDD ty, y, y \
	VEXTRACTI128 $1, y, tx \
	VPADDD tx, x, x \
	VPSHUFD $0x4e, x, tx \
	VPADDD tx, x, x \
	VPSHUFD $0xb1, x, tx \
	VPADDD tx, x, x \
	VPSLLD $7, x, x \
	VPXOR tx, tx, tx \
	VPSUBD x, tx, x \
	VMOVD x, to

// func roundVNNI(dst *byte, x *float32, n int, per float32, less *int32)
TEXT ·roundVNNI(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ less+32(FP), DX
	VBROADCASTSS per+24(FP), Z5
	VPBROADCASTD half256<>(SB), Z6
	VPXORD Z7, Z7, Z7 // sums of hi
	VPXORD Z8, Z8, Z8 // sums of lo
each:
	VMULPS (SI), Z5, Z0
	VCVTPS2DQ Z0, Z0
	VPADDD Z6, Z0, Z1
	VPSRAD $8, Z1, Z1 // hi
	VPSLLD $8, Z1, Z2
	VPSUBD Z2, Z0, Z0 // lo
	VPADDD Z1, Z7, Z7
	VPADDD Z0, Z8, Z8
	VPMOVDB Z1, X1
	VPMOVDB Z0, X0
	VPUNPCKLDQ X0, X1, X2
	VPUNPCKHDQ X0, X1, X3
	VMOVDQU X2, (DI)
	VMOVDQU X3, 16(DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $16, CX
	JNZ  each
	SUM32(Z7, Y7, X7, Y1, X1, (DX))
	SUM32(Z8, Y8, X8, Y1, X1, 4(DX))
	VZEROUPPER
	RET

// AHEAD is how many bytes before they are needed codes are asked for: the processor by itself does not look
// beyond a page.
#define AHEAD 4096

// A row of a tile is held in four registers: the sums of hi and those of lo, of 16 columns each. SI and R10
// point at rows 0 and 3 of a, DX and R11 at those of c; R8 and R9 are the bytes from row to row of a and of c;
// DI is the panel; CX counts the steps left; BX, R12 and R13 are less, by and scales.

#define BEGIN(at, h0, h1, l0, l1) \
	VPBROADCASTD at(BX), h0 \
	VMOVDQA32 h0, h1 \
	VPBROADCASTD at+4(BX), l0 \
	VMOVDQA32 l0, l1

#define BEGIN_1 BEGIN(0, Z0, Z1, Z2, Z3)
#define BEGIN_2 BEGIN_1; BEGIN(8, Z4, Z5, Z6, Z7)
#define BEGIN_3 BEGIN_2; BEGIN(16, Z8, Z9, Z10, Z11)
#define BEGIN_4 BEGIN_3; BEGIN(24, Z12, Z13, Z14, Z15)
#define BEGIN_5 BEGIN_4; BEGIN(32, Z16, Z17, Z18, Z19)
#define BEGIN_6 BEGIN_5; BEGIN(40, Z20, Z21, Z22, Z23)

#define ADD(hi, lo, h0, h1, l0, l1, t0, t1) \
	VPBROADCASTD hi, t0 \
	VPBROADCASTD lo, t1 \
	VPDPBUSD t0, Z24, h0 \
	VPDPBUSD t0, Z25, h1 \
	VPDPBUSD t1, Z24, l0 \
	VPDPBUSD t1, Z25, l1

#define STEP_1 PREFETCHT0 AHEAD(DI); PREFETCHT0 AHEAD+64(DI); VMOVDQU32 (DI), Z24; VMOVDQU32 64(DI), Z25; ADD((SI), 4(SI), Z0, Z1, Z2, Z3, Z26, Z27)
#define STEP_2 STEP_1; ADD((SI)(R8*1), 4(SI)(R8*1), Z4, Z5, Z6, Z7, Z28, Z29)
#define STEP_3 STEP_2; ADD((SI)(R8*2), 4(SI)(R8*2), Z8, Z9, Z10, Z11, Z30, Z31)
#define STEP_4 STEP_3; ADD((R10), 4(R10), Z12, Z13, Z14, Z15, Z26, Z27)
#define STEP_5 STEP_4; ADD((R10)(R8*1), 4(R10)(R8*1), Z16, Z17, Z18, Z19, Z28, Z29)
#define STEP_6 STEP_5; ADD((R10)(R8*2), 4(R10)(R8*2), Z20, Z21, Z22, Z23, Z30, Z31)

// END adds a row to to: 256*hi + lo, times by and scales.
#define END(at, h0, h1, l0, l1, to, to16) \
	VCVTDQ2PS h0, h0 \
	VCVTDQ2PS h1, h1 \
	VCVTDQ2PS l0, l0 \
	VCVTDQ2PS l1, l1 \
	VFMADD231PS Z24, h0, l0 \
	VFMADD231PS Z24, h1, l1 \
	VBROADCASTSS at(R12), Z27 \
	VMULPS Z27, l0, l0 \
	VMULPS Z27, l1, l1 \
	VMOVUPS to, Z28 \
	VMOVUPS to16, Z29 \
	VFMADD231PS Z25, l0, Z28 \
	VFMADD231PS Z26, l1, Z29 \
	VMOVUPS Z28, to \
	VMOVUPS Z29, to16

#define END_0 VBROADCASTSS weight256<>(SB), Z24; VMOVUPS (R13), Z25; VMOVUPS 64(R13), Z26
#define END_1 END_0; END(0, Z0, Z1, Z2, Z3, (DX), 64(DX))
#define END_2 END_1; END(4, Z4, Z5, Z6, Z7, (DX)(R9*1), 64(DX)(R9*1))
#define END_3 END_2; END(8, Z8, Z9, Z10, Z11, (DX)(R9*2), 64(DX)(R9*2))
#define END_4 END_3; END(12, Z12, Z13, Z14, Z15, (R11), 64(R11))
#define END_5 END_4; END(16, Z16, Z17, Z18, Z19, (R11)(R9*1), 64(R11)(R9*1))
#define END_6 END_5; END(20, Z20, Z21, Z22, Z23, (R11)(R9*2), 64(R11)(R9*2))

#define RUN(begin, step, end, loop) \
	begin \
	loop: \
	step \
	ADDQ $8, SI \
	ADDQ $8, R10 \
	ADDQ $128, DI \
	DECQ CX \
	JNZ loop \
	end \
	VZEROUPPER \
	RET

// func tileVNNI(a *byte, lda int, panel *byte, c *float32, ldc, steps, rows int, less *int32, by, scales *float32)
TEXT ·tileVNNI(SB), NOSPLIT, $0-80
	MOVQ a+0(FP), SI
	MOVQ lda+8(FP), R8
	MOVQ panel+16(FP), DI
	MOVQ c+24(FP), DX
	MOVQ ldc+32(FP), R9
	MOVQ steps+40(FP), CX
	MOVQ rows+48(FP), AX
	MOVQ less+56(FP), BX
	MOVQ by+64(FP), R12
	MOVQ scales+72(FP), R13
	SHLQ $2, R9
	LEAQ (SI)(R8*2), R10
	ADDQ R8, R10
	LEAQ (DX)(R9*2), R11
	ADDQ R9, R11
	CMPQ AX, $6
	JEQ  six
	CMPQ AX, $5
	JEQ  five
	CMPQ AX, $4
	JEQ  four
	CMPQ AX, $3
	JEQ  three
	CMPQ AX, $2
	JEQ  two
	RUN(BEGIN_1, STEP_1, END_1, loop1)
two:
	RUN(BEGIN_2, STEP_2, END_2, loop2)
three:
	RUN(BEGIN_3, STEP_3, END_3, loop3)
four:
	RUN(BEGIN_4, STEP_4, END_4, loop4)
five:
	RUN(BEGIN_5, STEP_5, END_5, loop5)
six:
	RUN(BEGIN_6, STEP_6, END_6, loop6)
