#include "textflag.h"

// func dotsAVX2(dst *int32, rows, q *int8, count, n int)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ count+24(FP), CX
	MOVQ n+32(FP), BX

row:
	MOVQ  DX, R8
	MOVQ  BX, R9
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

step: // 32 components, as two times 16 products of 16 bits, added in pairs
	VPMOVSXBW (SI), Y2
	VPMOVSXBW (R8), Y3
	VPMOVSXBW 16(SI), Y4
	VPMOVSXBW 16(R8), Y5
	VPMADDWD  Y3, Y2, Y2
	VPMADDWD  Y5, Y4, Y4
	VPADDD    Y2, Y0, Y0
	VPADDD    Y4, Y1, Y1
	ADDQ      $32, SI
	ADDQ      $32, R8
	SUBQ      $32, R9
	JNZ       step

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, R10
	MOVL         R10, (DI)
	ADDQ         $4, DI
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET
