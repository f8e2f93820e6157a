#include "textflag.h"
#include "kernel_amd64.h"

// STEP adds 32 products to acc, as two times 16 products of 16 bits, added in pairs.
// Y4 and Y5 hold the 32 components of q.
#define STEP(row, acc, a, b) \
	VPMOVSXBW (row), a    \
	VPMOVSXBW 16(row), b  \
	VPMADDWD  Y4, a, a    \
	VPMADDWD  Y5, b, b    \
	VPADDD    a, acc, acc \
	VPADDD    b, acc, acc \
	ADDQ      $32, row

// func dotsAVX2(dst *int32, rows, q *int8, count, n int)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ count+24(FP), CX
	MOVQ n+32(FP), BX

four: // rows at a time, which share the components of q
	CMPQ  CX, $4
	JLT   one
	LEAQ  (SI)(BX*1), R11
	LEAQ  (R11)(BX*1), R12
	LEAQ  (R12)(BX*1), R13
	MOVQ  DX, R8
	MOVQ  BX, R9
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

step4:
	VPMOVSXBW (R8), Y4
	VPMOVSXBW 16(R8), Y5
	STEP(SI, Y0, Y6, Y7)
	STEP(R11, Y1, Y8, Y9)
	STEP(R12, Y2, Y10, Y11)
	STEP(R13, Y3, Y12, Y13)
	ADDQ      $32, R8
	SUBQ      $32, R9
	JNZ       step4
	SUM(Y0, X0)
	SUM(Y1, X1)
	SUM(Y2, X2)
	SUM(Y3, X3)
	MOVQ R13, SI
	SUBQ $4, CX
	JMP  four

one:
	TESTQ CX, CX
	JZ    end
	MOVQ  DX, R8
	MOVQ  BX, R9
	VPXOR Y0, Y0, Y0

step1:
	VPMOVSXBW (R8), Y4
	VPMOVSXBW 16(R8), Y5
	STEP(SI, Y0, Y6, Y7)
	ADDQ      $32, R8
	SUBQ      $32, R9
	JNZ       step1
	SUM(Y0, X0)
	DECQ CX
	JMP  one

end:
	VZEROUPPER
	RET

// SCALED adds 8 components of a row, times the weight in Y8, to sum.
#define SCALED(at, sum) \
	VPMOVSXBD at(SI)(R11*1), Y4 \
	VCVTDQ2PS Y4, Y4            \
	VMULPS    Y8, Y4, Y4        \
	VADDPS    Y4, sum, sum

// func addRowsAVX2(dst *float32, rows *int8, list *int32, weights *float32, count, length, n int)
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ list+16(FP), DX
	MOVQ weights+24(FP), R8
	MOVQ count+32(FP), CX
	MOVQ length+40(FP), BX
	MOVQ n+48(FP), R12
	XORQ R9, R9

block: // of 32 components, for all rows: the sums stay in registers, and loads of rows overlap
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	XORQ    R10, R10

row:
	MOVLQSX      (DX)(R10*4), R11
	IMULQ        BX, R11
	ADDQ         R9, R11
	PREFETCHT0   64(SI)(R11*1) // the next line of the row
	VBROADCASTSS (R8)(R10*4), Y8
	SCALED(0, Y0)
	SCALED(8, Y1)
	SCALED(16, Y2)
	SCALED(24, Y3)
	INCQ         R10
	CMPQ         R10, CX
	JLT          row
	VMOVUPS      Y0, (DI)
	VMOVUPS      Y1, 32(DI)
	VMOVUPS      Y2, 64(DI)
	VMOVUPS      Y3, 96(DI)
	ADDQ         $128, DI
	ADDQ         $32, R9
	CMPQ         R9, R12
	JLT          block
	VZEROUPPER
	RET
