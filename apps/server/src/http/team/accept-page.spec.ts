import { createHash } from 'node:crypto';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();
const PATH = '/v3/team/invitations/accept';

async function scriptOfPage() {
  const { status, headers, text } = await http.call('GET', PATH, undefined, { authorization: '' });
  const script = /<script>(.*)<\/script>/s.exec(text)?.[1] ?? '';
  return { status, headers, script };
}

/** Runs the script of the page as a browser does, with as much of the page as it uses. */
async function open(answer: { ok: boolean; body: object }) {
  const { script } = await scriptOfPage();
  const sent: { url: string; method: string; body: unknown }[] = [];
  const button = { disabled: false };
  let submitted: (event: { preventDefault(): void; submitter: { value: string } }) => void = () => {};
  const form = {
    hidden: false,
    elements: { name: { value: ' Ada ' } },
    querySelectorAll: () => [button],
    addEventListener: (_: string, listener: typeof submitted) => {
      submitted = listener;
    },
  };
  const output = { textContent: '' };
  const document = { querySelector: (name: string) => (name === 'form' ? form : output) };
  const fetch = async (url: string, { method, body }: { method: string; body: string }) => {
    sent.push({ url, method, body: JSON.parse(body) });
    return { ok: answer.ok, json: async () => answer.body };
  };
  const location = { hash: '#inv_token', pathname: `/base${PATH}` };
  new Function('document', 'location', 'fetch', script)(document, location, fetch);
  return {
    sent,
    button,
    form,
    output,
    press: (value = '') => submitted({ preventDefault: () => {}, submitter: { value } }),
  };
}

test('the page needs no key, and its policy permits its own script only', async () => {
  const { status, headers, script } = await scriptOfPage();
  const hash = createHash('sha256').update(script).digest('base64');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hash}';`);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

test('nothing is sent before the button is pressed; then the token of the address, and the key is shown', async () => {
  const { sent, form, output, press } = await open({ ok: true, body: { key: 'sm_key' } });
  expect(sent).toEqual([]);
  press();
  await until(() => output.textContent !== '');
  expect(sent).toEqual([{ url: `/base${PATH}`, method: 'POST', body: { token: 'inv_token', name: 'Ada' } }]);
  expect(output.textContent).toContain('sm_key');
  expect(form.hidden).toBe(true);
});

test('a refusal is shown, and the button can be pressed again', async () => {
  const { button, form, output, press } = await open({ ok: false, body: { message: 'It has expired' } });
  press();
  await until(() => output.textContent !== '');
  expect(output.textContent).toBe('It has expired');
  expect([button.disabled, form.hidden]).toEqual([false, false]);
});

test('the other button asks for a session in place of a key', async () => {
  const { sent, output, press } = await open({ ok: true, body: { key: null } });
  press('session');
  await until(() => output.textContent !== '');
  expect(sent).toMatchObject([{ body: { token: 'inv_token', name: 'Ada', session: true } }]);
  expect(output.textContent).toContain('signed in');
});
