#include "textflag.h"
#include "kernel_amd64.h"

// MULTIPLY adds the products of 64 bytes of the four queries, in Z4 to Z7, with a row + 128, which is not negative.
#define MULTIPLY(row, a, b, c, d) \
	VPDPBUSD Z4, row, a \
	VPDPBUSD Z5, row, b \
	VPDPBUSD Z6, row, c \
	VPDPBUSD Z7, row, d

// FOLD adds the upper half of a sum to its lower half.
#define FOLD(sum, half, to) \
	VEXTRACTI64X4 $1, sum, to \
	VPADDD        half, to, to

// STORE adds up the sums of one query with four rows, which are numbers a to d, and stores them at to.
#define STORE(a, ya, b, yb, c, yc, d, yd, to) \
	FOLD(a, ya, Y0)               \
	FOLD(b, yb, Y1)               \
	FOLD(c, yc, Y2)               \
	FOLD(d, yd, Y3)               \
	VPHADDD      Y1, Y0, Y0       \
	VPHADDD      Y3, Y2, Y2       \
	VPHADDD      Y2, Y0, Y0       \
	VEXTRACTI128 $1, Y0, X1       \
	VPADDD       X1, X0, X0       \
	VMOVDQU      X0, to

// func dotsFourVNNI(dst *int32, rows, q *int8, count, n int)
TEXT ·dotsFourVNNI(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         rows+8(FP), SI
	MOVQ         q+16(FP), DX
	MOVQ         count+24(FP), CX
	MOVQ         n+32(FP), BX
	MOVL         $0x80808080, R10
	VPBROADCASTD R10, Z8
	LEAQ         (BX)(BX*2), R13 // three rows, or queries
	MOVQ         CX, R14
	SHLQ         $2, R14         // bytes of the numbers of one query
	LEAQ         (R14)(R14*2), R15

	// Z9 to Z12 become -128 times the sums of the queries: that takes off what the rows have too much.
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	MOVQ   DX, R8
	MOVQ   BX, R9

less:
	VMOVDQU32 (R8), Z4
	VMOVDQU32 (R8)(BX*1), Z5
	VMOVDQU32 (R8)(BX*2), Z6
	VMOVDQU32 (R8)(R13*1), Z7
	MULTIPLY(Z8, Z9, Z10, Z11, Z12)
	ADDQ      $64, R8
	SUBQ      $64, R9
	JNZ       less
	VPXORD    Z0, Z0, Z0
	VPSUBD    Z9, Z0, Z9
	VPSUBD    Z10, Z0, Z10
	VPSUBD    Z11, Z0, Z11
	VPSUBD    Z12, Z0, Z12

four: // rows at a time
	MOVQ      DX, R8
	MOVQ      BX, R9
	LEAQ      AHEAD(SI), R12
	VMOVDQA32 Z9, Z16
	VMOVDQA32 Z10, Z17
	VMOVDQA32 Z11, Z18
	VMOVDQA32 Z12, Z19
	VMOVDQA32 Z9, Z20
	VMOVDQA32 Z10, Z21
	VMOVDQA32 Z11, Z22
	VMOVDQA32 Z12, Z23
	VMOVDQA32 Z9, Z24
	VMOVDQA32 Z10, Z25
	VMOVDQA32 Z11, Z26
	VMOVDQA32 Z12, Z27
	VMOVDQA32 Z9, Z28
	VMOVDQA32 Z10, Z29
	VMOVDQA32 Z11, Z30
	VMOVDQA32 Z12, Z31

step:
	VMOVDQU32  (R8), Z4
	VMOVDQU32  (R8)(BX*1), Z5
	VMOVDQU32  (R8)(BX*2), Z6
	VMOVDQU32  (R8)(R13*1), Z7
	PREFETCHT0 (R12)
	PREFETCHT0 64(R12)
	PREFETCHT0 128(R12)
	PREFETCHT0 192(R12)
	VPXORD     (SI), Z8, Z0
	VPXORD     (SI)(BX*1), Z8, Z1
	VPXORD     (SI)(BX*2), Z8, Z2
	VPXORD     (SI)(R13*1), Z8, Z3
	MULTIPLY(Z0, Z16, Z17, Z18, Z19)
	MULTIPLY(Z1, Z20, Z21, Z22, Z23)
	MULTIPLY(Z2, Z24, Z25, Z26, Z27)
	MULTIPLY(Z3, Z28, Z29, Z30, Z31)
	ADDQ       $256, R12
	ADDQ       $64, SI
	ADDQ       $64, R8
	SUBQ       $64, R9
	JNZ        step
	STORE(Z16, Y16, Z20, Y20, Z24, Y24, Z28, Y28, (DI))
	STORE(Z17, Y17, Z21, Y21, Z25, Y25, Z29, Y29, (DI)(R14*1))
	STORE(Z18, Y18, Z22, Y22, Z26, Y26, Z30, Y30, (DI)(R14*2))
	STORE(Z19, Y19, Z23, Y23, Z27, Y27, Z31, Y31, (DI)(R15*1))
	ADDQ       $16, DI
	ADDQ       R13, SI
	SUBQ       $4, CX
	JNZ        four
	VZEROUPPER
	RET
