module dynamic-networks/e2e/two-legged

go 1.24.0
