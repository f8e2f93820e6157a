#include "textflag.h"

// A tile is held in Y0 to Y11, two registers a row. SI and R10 point at rows 0
// and 3 of a, DX and R11 at those of c; R8 and R9 are the bytes from row to row
// of a and of c; DI is the panel; CX counts the terms left.

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
	LEAQ (DX)(R9*2), R11 \
	ADDQ R9, R11

#define FMA2(x, lo, hi) VFMADD231PS Y12, x, lo; VFMADD231PS Y13, x, hi

#define LOAD_1 VMOVUPS (DX), Y0; VMOVUPS 32(DX), Y1
#define LOAD_2 LOAD_1; VMOVUPS (DX)(R9*1), Y2; VMOVUPS 32(DX)(R9*1), Y3
#define LOAD_3 LOAD_2; VMOVUPS (DX)(R9*2), Y4; VMOVUPS 32(DX)(R9*2), Y5
#define LOAD_4 LOAD_3; VMOVUPS (R11), Y6; VMOVUPS 32(R11), Y7
#define LOAD_5 LOAD_4; VMOVUPS (R11)(R9*1), Y8; VMOVUPS 32(R11)(R9*1), Y9
#define LOAD_6 LOAD_5; VMOVUPS (R11)(R9*2), Y10; VMOVUPS 32(R11)(R9*2), Y11

#define STORE_1 VMOVUPS Y0, (DX); VMOVUPS Y1, 32(DX)
#define STORE_2 STORE_1; VMOVUPS Y2, (DX)(R9*1); VMOVUPS Y3, 32(DX)(R9*1)
#define STORE_3 STORE_2; VMOVUPS Y4, (DX)(R9*2); VMOVUPS Y5, 32(DX)(R9*2)
#define STORE_4 STORE_3; VMOVUPS Y6, (R11); VMOVUPS Y7, 32(R11)
#define STORE_5 STORE_4; VMOVUPS Y8, (R11)(R9*1); VMOVUPS Y9, 32(R11)(R9*1)
#define STORE_6 STORE_5; VMOVUPS Y10, (R11)(R9*2); VMOVUPS Y11, 32(R11)(R9*2)

#define TERM_1 VMOVUPS (DI), Y12; VMOVUPS 32(DI), Y13; VBROADCASTSS (SI), Y14; FMA2(Y14, Y0, Y1)
#define TERM_2 TERM_1; VBROADCASTSS (SI)(R8*1), Y15; FMA2(Y15, Y2, Y3)
#define TERM_3 TERM_2; VBROADCASTSS (SI)(R8*2), Y14; FMA2(Y14, Y4, Y5)
#define TERM_4 TERM_3; VBROADCASTSS (R10), Y15; FMA2(Y15, Y6, Y7)
#define TERM_5 TERM_4; VBROADCASTSS (R10)(R8*1), Y14; FMA2(Y14, Y8, Y9)
#define TERM_6 TERM_5; VBROADCASTSS (R10)(R8*2), Y15; FMA2(Y15, Y10, Y11)

#define RUN(load, term, store, loop) \
	load \
	loop: \
	term \
	ADDQ $4, SI \
	ADDQ $4, R10 \
	ADDQ $64, DI \
	DECQ CX \
	JNZ loop \
	store \
	VZEROUPPER \
	RET

// func tileAVX2(a *float32, lda int, b, c *float32, ldc, k, rows int)
TEXT ·tileAVX2(SB), NOSPLIT, $0-56
	ARGS
	MOVQ rows+48(FP), AX
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

DATA flipAVX2<>+0(SB)/4, $0x80808080
GLOBL flipAVX2<>(SB), RODATA|NOPTR, $4

// ROW converts the bytes of a row, which are left bits below the highest ones of each number, and stores them at to.
#define ROW(left, to) \
	VPSLLD $left, Y3, Y5 \
	VPSLLD $left, Y4, Y6 \
	VPSRAD $24, Y5, Y5 \
	VPSRAD $24, Y6, Y6 \
	VCVTDQ2PS Y5, Y5 \
	VCVTDQ2PS Y6, Y6 \
	VMULPS Y0, Y5, Y5 \
	VMULPS Y1, Y6, Y6 \
	VMOVUPS Y5, to(DI) \
	VMOVUPS Y6, to+32(DI)

// func dequantizeAVX2(dst *float32, codes *byte, scales *float32, groups, ahead int)
TEXT ·dequantizeAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ scales+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ ahead+32(FP), BX
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VPBROADCASTD flipAVX2<>(SB), Y2
loop:
	PREFETCHT0 (SI)(BX*1)
	PREFETCHT0 64(SI)(BX*1)
	VPXOR (SI), Y2, Y3
	VPXOR 32(SI), Y2, Y4
	ROW(24, 0)
	ROW(16, 64)
	ROW(8, 128)
	ROW(0, 192)
	ADDQ $128, SI
	ADDQ $256, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
