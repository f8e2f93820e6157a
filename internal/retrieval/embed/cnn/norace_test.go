//go:build !race

package cnn_test

const underRace = false
