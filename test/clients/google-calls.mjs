// Calls a model by the package of Google, and prints what it said as JSON. In a process of its own: the package asks the
// global object for the dispatcher of `fetch`, which that of a test does not have.
const { GoogleGenAI } = await import(process.env.ENTRY);
const headers = { 'x-sm-user-id': process.env.MNEME_USER };
const httpOptions = { baseUrl: `${process.env.MNEME_URL}/proxy/gemini`, headers };
const { models } = new GoogleGenAI({ apiKey: process.env.MNEME_KEY, httpOptions });
const call = { model: 'gemini-2.5-flash', contents: 'Where is the boat?' };
const whole = (await models.generateContent(call)).text;
let stream = '';
for await (const { text } of await models.generateContentStream(call)) stream += text ?? '';
console.log(JSON.stringify({ whole, stream }));
