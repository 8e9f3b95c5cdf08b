module github.com/windieos/windie

go 1.26.0
