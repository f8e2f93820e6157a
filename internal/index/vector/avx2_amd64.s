#include "textflag.h"
#include "sum_amd64.h"

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

// SCALED adds 8 scaled components at an offset of the row to dst. Y0 holds the factors.
#define SCALED(at, a) \
	VPMOVSXBD at(SI), a       \
	VCVTDQ2PS a, a            \
	VMULPS    Y0, a, a        \
	VADDPS    (4*at)(DI), a, a \
	VMOVUPS   a, (4*at)(DI)

// func addScaledAVX2(dst *float32, row *int8, n int, w float32)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ row+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS w+24(FP), Y0

step:
	SCALED(0, Y1)
	SCALED(8, Y2)
	SCALED(16, Y3)
	SCALED(24, Y4)
	ADDQ $128, DI
	ADDQ $32, SI
	SUBQ $32, CX
	JNZ  step
	VZEROUPPER
	RET
