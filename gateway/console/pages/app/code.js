// @ts-check
// The last search as a program.
import { html, useState } from './lib.js';
import { baseURL, here, user } from './state.js';
import { Json, Tabs } from './ui.js';

const languages = [['curl', 'curl'], ['python', 'Python'], ['go', 'Go'], ['typescript', 'TypeScript']];

/** @param {string} text */
const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const goText = (text) => JSON.stringify(text).replace(/\\u2028|\\u2029/g, (c) => c);

/** @type {Record<string, (q: {url: string, base: string, path: string, body: any, hosted: boolean, way: string, text: string, id: string, options: any}) => string>} */
export const programs = {
  curl: (q) => `curl ${q.hosted ? '-H "Authorization: Bearer $WINDIE_TOKEN" ' : ''}--json ${shell(JSON.stringify(q.body))} ${q.url}`,
  python: (q) => `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(q.url)},
    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(q.body))})).encode(),
    headers={"Content-Type": "application/json"${q.hosted ? ', "Authorization": "Bearer " + os.environ["WINDIE_TOKEN"]' : ''}},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)${q.way === 'text' ? '["match"]["center"]' : '["point"]'})
`,
  go: (q) => `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

func main() {
	client, err := sdk.New(${goText(q.base)}${q.hosted ? ', sdk.WithToken("…")' : ''})
	if err != nil {
		log.Fatal(err)
	}
${q.way === 'text'
    ? `	found, err := client.OCR.ResolveText(context.Background(), sdkapi.OCRTextRequest{
		Image: sdk.Stored(${goText(q.id)}), Text: ${goText(q.text)},${narrowing(q.options)}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Match.Center)`
    : `	found, err := client.Vision.Locate(context.Background(), sdkapi.VisionLocateRequest{
		Image: sdk.Stored(${goText(q.id)}), Description: ${goText(q.text)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Point)`}
}
`,
  typescript: (q) => `const response = await fetch(${JSON.stringify(q.url)}, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json'${q.hosted ? ', Authorization: `Bearer ${process.env.WINDIE_TOKEN}`' : ''} },
  body: JSON.stringify(${JSON.stringify(q.body)}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.message);
console.log(answer${q.way === 'text' ? '.match.center' : '.point'});
`,
};

function narrowing(options) {
  const fields = [options.near && `Near: ${goText(options.near)}`, options.occurrence && `Occurrence: ${options.occurrence}`].filter(Boolean);
  return fields.length > 0 ? ` Narrowing: sdkapi.Narrowing{${fields.join(', ')}},` : '';
}

export const Code = ({ question, screen }) => {
  const [language, setLanguage] = useState('curl');
  const q = question ?? { way: 'describe', text: 'the Check out button', options: {} };
  const path = q.way === 'text' ? '/api/sdk/ocr/resolve-text' : '/api/sdk/vision/locate';
  const image = { artifact_id: screen.id };
  const body = q.way === 'text' ? { image, text: q.text, ...q.options } : { image, description: q.text };
  const hosted = here.value?.mode === 'hosted';
  return html`<div class="code">
    <p>${question ? 'Code for your last search.' : 'This is an example. To see code for your own search, search in Find first.'}</p>
    <${Tabs} label="Language" of=${languages} value=${language} onChange=${setLanguage} />
    <${Json} label=${`Code in ${language}`} of=${programs[language]({ ...q, url: baseURL + path, base: baseURL, path, body, hosted, id: screen.id, user: user.value })} />
  </div>`;
};
