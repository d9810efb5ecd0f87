import { attachment, mediaType } from './file-headers.ts';

test.each([
  ['plain name.pdf', 'attachment; filename="plain name.pdf"'],
  ['Übersicht 😀.md', 'attachment; filename="_bersicht _.md"; filename*=UTF-8\'\'%C3%9Cbersicht%20%F0%9F%98%80.md'],
  ['a"b\\c.txt', 'attachment; filename="a_b_c.txt"; filename*=UTF-8\'\'a%22b%5Cc.txt'],
  ["100% (it's *).txt", "attachment; filename=\"100_ (it's *).txt\"; filename*=UTF-8''100%25%20%28it%27s%20%2A%29.txt"],
  ['a\r\nSet-Cookie: x', 'attachment; filename="a__Set-Cookie: x"; filename*=UTF-8\'\'a%0D%0ASet-Cookie%3A%20x'],
  ['\ud800', 'attachment; filename="_"; filename*=UTF-8\'\'%EF%BF%BD'],
])('a download is called %j', (name, disposition) => {
  expect(attachment(name)).toBe(disposition);
});

test.each([
  ['text/csv', 'text/csv'],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['application/vnd.ms-excel', 'application/vnd.ms-excel'],
  [null, 'application/octet-stream'],
  ['', 'application/octet-stream'],
  ['nonsense', 'application/octet-stream'],
  ['text/plain\r\nx: y', 'application/octet-stream'],
  ['text/ü', 'application/octet-stream'],
])('the type %j is sent as %s', (sent, expected) => {
  expect(mediaType(sent)).toBe(expected);
});
