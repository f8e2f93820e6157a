#include "textflag.h"
#include "kernel_amd64.h"

// STEPU adds 32 products of q, in Y13, with the row + 128, which is not negative, to acc. It
// overwrites row128.
#define STEPU(row, row128, acc) \
	VPXOR    row, Y15, row128 \
	VPDPBUSD Y13, row128, acc

// func dotsVNNI(dst *int32, rows, q *int8, count, n int)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         rows+8(FP), SI
	MOVQ         q+16(FP), DX
	MOVQ         count+24(FP), CX
	MOVQ         n+32(FP), BX
	MOVL         $0x80808080, R10
	MOVQ         R10, X15
	VPBROADCASTD X15, Y15
	LEAQ         (BX)(BX*2), R13

	// Y11 becomes -128 times the sum of q: that takes off what the rows have too much.
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	MOVQ  DX, R8
	MOVQ  BX, R9

less:
	VMOVDQU  (R8), Y13
	VPDPBUSD Y13, Y15, Y12
	ADDQ     $32, R8
	SUBQ     $32, R9
	JNZ      less
	VPSUBD   Y12, Y11, Y11

eight: // rows at a time: a sum waits for itself
	CMPQ    CX, $8
	JLT     one
	LEAQ    (SI)(BX*4), R11
	LEAQ    AHEAD(SI), R12
	MOVQ    DX, R8
	MOVQ    BX, R9
	VMOVDQA Y11, Y0
	VMOVDQA Y11, Y1
	VMOVDQA Y11, Y2
	VMOVDQA Y11, Y3
	VMOVDQA Y11, Y4
	VMOVDQA Y11, Y5
	VMOVDQA Y11, Y6
	VMOVDQA Y11, Y7

step8:
	VMOVDQU    (R8), Y13
	PREFETCHT0 (R12)
	PREFETCHT0 64(R12)
	PREFETCHT0 128(R12)
	PREFETCHT0 192(R12)
	STEPU((SI), Y8, Y0)
	STEPU((SI)(BX*1), Y9, Y1)
	STEPU((SI)(BX*2), Y10, Y2)
	STEPU((SI)(R13*1), Y12, Y3)
	STEPU((R11), Y8, Y4)
	STEPU((R11)(BX*1), Y9, Y5)
	STEPU((R11)(BX*2), Y10, Y6)
	STEPU((R11)(R13*1), Y12, Y7)
	ADDQ       $256, R12
	ADDQ       $32, SI
	ADDQ       $32, R11
	ADDQ       $32, R8
	SUBQ       $32, R9
	JNZ        step8
	SUM(Y0, X0)
	SUM(Y1, X1)
	SUM(Y2, X2)
	SUM(Y3, X3)
	SUM(Y4, X4)
	SUM(Y5, X5)
	SUM(Y6, X6)
	SUM(Y7, X7)
	LEAQ       (R11)(R13*1), SI
	SUBQ       $8, CX
	JMP        eight

one:
	TESTQ   CX, CX
	JZ      end
	MOVQ    DX, R8
	MOVQ    BX, R9
	VMOVDQA Y11, Y0

step1:
	VMOVDQU (R8), Y13
	STEPU((SI), Y8, Y0)
	ADDQ    $32, SI
	ADDQ    $32, R8
	SUBQ    $32, R9
	JNZ     step1
	SUM(Y0, X0)
	DECQ    CX
	JMP     one

end:
	VZEROUPPER
	RET
