#include "textflag.h"
#include "sum_amd64.h"

// STEPU adds 32 products of a row with q + 128, which is not negative, to acc, and those
// with 128 to less.
#define STEPU(row, acc, less) \
	VMOVDQU  (row), Y12     \
	VPDPBUSD Y12, Y13, acc  \
	VPDPBUSD Y12, Y15, less \
	ADDQ     $32, row

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

four: // rows at a time: a sum waits for itself
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
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

step4:
	VPXOR  (R8), Y15, Y13
	STEPU(SI, Y0, Y4)
	STEPU(R11, Y1, Y5)
	STEPU(R12, Y2, Y6)
	STEPU(R13, Y3, Y7)
	ADDQ   $32, R8
	SUBQ   $32, R9
	JNZ    step4
	VPSUBD Y4, Y0, Y0
	VPSUBD Y5, Y1, Y1
	VPSUBD Y6, Y2, Y2
	VPSUBD Y7, Y3, Y3
	SUM(Y0, X0)
	SUM(Y1, X1)
	SUM(Y2, X2)
	SUM(Y3, X3)
	MOVQ   R13, SI
	SUBQ   $4, CX
	JMP    four

one:
	TESTQ CX, CX
	JZ    end
	MOVQ  DX, R8
	MOVQ  BX, R9
	VPXOR Y0, Y0, Y0
	VPXOR Y4, Y4, Y4

step1:
	VPXOR  (R8), Y15, Y13
	STEPU(SI, Y0, Y4)
	ADDQ   $32, R8
	SUBQ   $32, R9
	JNZ    step1
	VPSUBD Y4, Y0, Y0
	SUM(Y0, X0)
	DECQ   CX
	JMP    one

end:
	VZEROUPPER
	RET
