// AHEAD is how many bytes before they are needed rows are asked for: the processor by itself does not
// look beyond a page.
#define AHEAD 8192

// SUM adds up the eight numbers of a register, whose lower half is X, and stores the
// sum at 0(DI).
#define SUM(Y, X) \
	VEXTRACTI128 $1, Y, X14     \
	VPADDD       X14, X, X      \
	VPSHUFD      $0x4E, X, X14  \
	VPADDD       X14, X, X      \
	VPSHUFD      $0xB1, X, X14  \
	VPADDD       X14, X, X      \
	VMOVD        X, R10         \
	MOVL         R10, (DI)      \
	ADDQ         $4, DI
