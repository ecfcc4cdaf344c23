package sqlite

// Of XNU's bsd/sys/fcntl.h; x/sys does not name them.
const (
	ofdSetLock = 90
	ofdGetLock = 92
)
