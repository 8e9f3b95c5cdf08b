package lstm_test

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"strings"

	"github.com/windieos/windie/perception/lstm"
)

// A line that has been cut out and scaled is read with the model of English.
func Example() {
	data, err := os.ReadFile("testdata/eng.traineddata")
	if err != nil {
		log.Fatal(err)
	}
	model, err := lstm.Load(data)
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open("testdata/eng.png") // model.Height pixels high
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		log.Fatal(err)
	}
	grey := picture.(*image.Gray)
	readings, err := model.Read(context.Background(), []lstm.Strip{{Width: grey.Rect.Dx(), Pix: grey.Pix}})
	if err != nil {
		log.Fatal(err)
	}
	var text strings.Builder
	for _, char := range readings[0] {
		text.WriteString(char.Text)
	}
	fmt.Println(text.String())
	// Output: Could not reach the server
}
