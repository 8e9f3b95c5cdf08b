package sqljournal_test

func crashChild() bool { return false }
