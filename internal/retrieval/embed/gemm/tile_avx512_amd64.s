#include "textflag.h"

// A tile is held in Z0 to Z23, two registers a row. SI, R10, R12 and BX point at
// rows 0, 3, 6 and 9 of a, DX, R11, R13 and AX at those of c; R8 and R9 are the
// bytes from row to row of a and of c; DI is the panel; CX counts the terms left.

#define ARGS \
	MOVQ a+0(FP), SI \
	MOVQ lda+8(FP), R8 \
	MOVQ b+16(FP), DI \
	MOVQ c+24(FP), DX \
	MOVQ ldc+32(FP), R9 \
	MOVQ k+40(FP), CX \
	SHLQ $2, R8 \
	SHLQ $2, R9 \
	LEAQ (SI)(R8*2), R10 \
	ADDQ R8, R10 \
	LEAQ (R10)(R8*2), R12 \
	ADDQ R8, R12 \
	LEAQ (R12)(R8*2), BX \
	ADDQ R8, BX \
	LEAQ (DX)(R9*2), R11 \
	ADDQ R9, R11 \
	LEAQ (R11)(R9*2), R13 \
	ADDQ R9, R13 \
	LEAQ (R13)(R9*2), AX \
	ADDQ R9, AX

#define FMA2(x, lo, hi) VFMADD231PS Z24, x, lo; VFMADD231PS Z25, x, hi

#define LOAD_1 VMOVUPS (DX), Z0; VMOVUPS 64(DX), Z1
#define LOAD_2 LOAD_1; VMOVUPS (DX)(R9*1), Z2; VMOVUPS 64(DX)(R9*1), Z3
#define LOAD_3 LOAD_2; VMOVUPS (DX)(R9*2), Z4; VMOVUPS 64(DX)(R9*2), Z5
#define LOAD_4 LOAD_3; VMOVUPS (R11), Z6; VMOVUPS 64(R11), Z7
#define LOAD_5 LOAD_4; VMOVUPS (R11)(R9*1), Z8; VMOVUPS 64(R11)(R9*1), Z9
#define LOAD_6 LOAD_5; VMOVUPS (R11)(R9*2), Z10; VMOVUPS 64(R11)(R9*2), Z11
#define LOAD_7 LOAD_6; VMOVUPS (R13), Z12; VMOVUPS 64(R13), Z13
#define LOAD_8 LOAD_7; VMOVUPS (R13)(R9*1), Z14; VMOVUPS 64(R13)(R9*1), Z15
#define LOAD_9 LOAD_8; VMOVUPS (R13)(R9*2), Z16; VMOVUPS 64(R13)(R9*2), Z17
#define LOAD_10 LOAD_9; VMOVUPS (AX), Z18; VMOVUPS 64(AX), Z19
#define LOAD_11 LOAD_10; VMOVUPS (AX)(R9*1), Z20; VMOVUPS 64(AX)(R9*1), Z21
#define LOAD_12 LOAD_11; VMOVUPS (AX)(R9*2), Z22; VMOVUPS 64(AX)(R9*2), Z23

#define STORE_1 VMOVUPS Z0, (DX); VMOVUPS Z1, 64(DX)
#define STORE_2 STORE_1; VMOVUPS Z2, (DX)(R9*1); VMOVUPS Z3, 64(DX)(R9*1)
#define STORE_3 STORE_2; VMOVUPS Z4, (DX)(R9*2); VMOVUPS Z5, 64(DX)(R9*2)
#define STORE_4 STORE_3; VMOVUPS Z6, (R11); VMOVUPS Z7, 64(R11)
#define STORE_5 STORE_4; VMOVUPS Z8, (R11)(R9*1); VMOVUPS Z9, 64(R11)(R9*1)
#define STORE_6 STORE_5; VMOVUPS Z10, (R11)(R9*2); VMOVUPS Z11, 64(R11)(R9*2)
#define STORE_7 STORE_6; VMOVUPS Z12, (R13); VMOVUPS Z13, 64(R13)
#define STORE_8 STORE_7; VMOVUPS Z14, (R13)(R9*1); VMOVUPS Z15, 64(R13)(R9*1)
#define STORE_9 STORE_8; VMOVUPS Z16, (R13)(R9*2); VMOVUPS Z17, 64(R13)(R9*2)
#define STORE_10 STORE_9; VMOVUPS Z18, (AX); VMOVUPS Z19, 64(AX)
#define STORE_11 STORE_10; VMOVUPS Z20, (AX)(R9*1); VMOVUPS Z21, 64(AX)(R9*1)
#define STORE_12 STORE_11; VMOVUPS Z22, (AX)(R9*2); VMOVUPS Z23, 64(AX)(R9*2)

#define TERM_1 VMOVUPS (DI), Z24; VMOVUPS 64(DI), Z25; VBROADCASTSS (SI), Z26; FMA2(Z26, Z0, Z1)
#define TERM_2 TERM_1; VBROADCASTSS (SI)(R8*1), Z27; FMA2(Z27, Z2, Z3)
#define TERM_3 TERM_2; VBROADCASTSS (SI)(R8*2), Z28; FMA2(Z28, Z4, Z5)
#define TERM_4 TERM_3; VBROADCASTSS (R10), Z29; FMA2(Z29, Z6, Z7)
#define TERM_5 TERM_4; VBROADCASTSS (R10)(R8*1), Z30; FMA2(Z30, Z8, Z9)
#define TERM_6 TERM_5; VBROADCASTSS (R10)(R8*2), Z31; FMA2(Z31, Z10, Z11)
#define TERM_7 TERM_6; VBROADCASTSS (R12), Z26; FMA2(Z26, Z12, Z13)
#define TERM_8 TERM_7; VBROADCASTSS (R12)(R8*1), Z27; FMA2(Z27, Z14, Z15)
#define TERM_9 TERM_8; VBROADCASTSS (R12)(R8*2), Z28; FMA2(Z28, Z16, Z17)
#define TERM_10 TERM_9; VBROADCASTSS (BX), Z29; FMA2(Z29, Z18, Z19)
#define TERM_11 TERM_10; VBROADCASTSS (BX)(R8*1), Z30; FMA2(Z30, Z20, Z21)
#define TERM_12 TERM_11; VBROADCASTSS (BX)(R8*2), Z31; FMA2(Z31, Z22, Z23)

#define RUN(load, term, store, loop) \
	load \
	loop: \
	term \
	ADDQ $4, SI \
	ADDQ $4, R10 \
	ADDQ $4, R12 \
	ADDQ $4, BX \
	ADDQ $128, DI \
	DECQ CX \
	JNZ loop \
	store \
	VZEROUPPER \
	RET

// func tileAVX512(a *float32, lda int, b, c *float32, ldc, k, rows int)
TEXT ·tileAVX512(SB), NOSPLIT, $0-56
	ARGS
	MOVQ rows+48(FP), R14
	CMPQ R14, $12
	JEQ  twelve
	CMPQ R14, $11
	JEQ  eleven
	CMPQ R14, $10
	JEQ  ten
	CMPQ R14, $9
	JEQ  nine
	CMPQ R14, $8
	JEQ  eight
	CMPQ R14, $7
	JEQ  seven
	CMPQ R14, $6
	JEQ  six
	CMPQ R14, $5
	JEQ  five
	CMPQ R14, $4
	JEQ  four
	CMPQ R14, $3
	JEQ  three
	CMPQ R14, $2
	JEQ  two
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
nine:
	RUN(LOAD_9, TERM_9, STORE_9, loop9)
ten:
	RUN(LOAD_10, TERM_10, STORE_10, loop10)
eleven:
	RUN(LOAD_11, TERM_11, STORE_11, loop11)
twelve:
	RUN(LOAD_12, TERM_12, STORE_12, loop12)

DATA flipAVX512<>+0(SB)/4, $0x80808080
GLOBL flipAVX512<>(SB), RODATA|NOPTR, $4

// ROW converts the bytes of a row, which are left bits below the highest ones of each number, and stores them at to.
#define ROW(left, to) \
	VPSLLD $left, Z3, Z5 \
	VPSLLD $left, Z4, Z6 \
	VPSRAD $24, Z5, Z5 \
	VPSRAD $24, Z6, Z6 \
	VCVTDQ2PS Z5, Z5 \
	VCVTDQ2PS Z6, Z6 \
	VMULPS Z0, Z5, Z5 \
	VMULPS Z1, Z6, Z6 \
	VMOVUPS Z5, to(DI) \
	VMOVUPS Z6, to+64(DI)

// func dequantizeAVX512(dst *float32, codes *byte, scales *float32, groups, ahead int)
TEXT ·dequantizeAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ scales+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ ahead+32(FP), BX
	VMOVUPS (DX), Z0
	VMOVUPS 64(DX), Z1
	VPBROADCASTD flipAVX512<>(SB), Z2
loop:
	PREFETCHT0 (SI)(BX*1)
	PREFETCHT0 64(SI)(BX*1)
	VPXORD (SI), Z2, Z3
	VPXORD 64(SI), Z2, Z4
	ROW(24, 0)
	ROW(16, 128)
	ROW(8, 256)
	ROW(0, 384)
	ADDQ $128, SI
	ADDQ $512, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
