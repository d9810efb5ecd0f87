import type { Tab } from './browser.ts';
import type { Example } from './openapi.ts';

/** Functions that act in the page as a person does. Swagger UI is a React application, which hears of events only. */
const ACTIONS = `
  const until = async (find) => {
    for (let waited = 0; waited < 20000; waited += 20) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('The page does not show ' + find);
  };
  const enter = (field, value) => {
    const prototype = { INPUT: HTMLInputElement, TEXTAREA: HTMLTextAreaElement, SELECT: HTMLSelectElement }[field.tagName];
    Object.getOwnPropertyDescriptor(prototype.prototype, 'value').set.call(field, value);
    field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
    field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  };
  const authorize = async (key) => {
    (await until(() => document.querySelector('.scheme-container .btn.authorize'))).click();
    await until(() => document.querySelector('.modal-ux .btn-done'));
    // A key that was entered before is shown as a button.
    document.querySelector('.modal-ux .btn.auth:not(.authorize, .btn-done)')?.click();
    enter(await until(() => document.querySelector('.modal-ux input')), key);
    document.querySelector('.modal-ux .btn.authorize').click();
    (await until(() => document.querySelector('.modal-ux .btn-done'))).click();
  };
  const isAuthorized = () => until(() => document.querySelector('.scheme-container .btn.authorize.locked'));
  const answers = [];
  const listen = () => {
    const original = window.fetch;
    window.fetch = async (...request) => {
      const response = await original(...request);
      const text = await response.clone().text();
      const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
      answers.push({ status: response.status, body: isJson ? JSON.parse(text) : null });
      return response;
    };
  };
  const open = async (id) => {
    const block = await until(() => document.querySelector('.opblock[id$="-' + id + '"]'));
    if (!block.classList.contains('is-open')) block.querySelector('.opblock-summary-control').click();
    await until(() => block.querySelector('.opblock-body'));
    return block;
  };
  const send = async ({ id, parameters, example, body, file }) => {
    const block = await open(id);
    const button = await until(() => block.querySelector('.btn.execute'));
    for (const [name, value] of Object.entries(parameters)) {
      enter(await until(() => block.querySelector('tr[data-param-name="' + name + '"] input:not([disabled])')), value);
    }
    // A single example has no choice.
    const choice = block.querySelector('.opblock-section-request-body .examples-select-element');
    if (choice !== null) enter(choice, example);
    if (body !== null) enter(await until(() => block.querySelector('textarea.body-param__text')), body);
    if (file !== null) {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.content], file.name, { type: 'text/markdown' }));
      const field = await until(() => block.querySelector('input[type=file]'));
      field.files = transfer.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = answers.length;
    button.click();
    await until(() => answers.length > before);
    const answer = answers.at(-1);
    const shown = await until(() => block.querySelector('.live-responses-table tbody .response-col_status')?.textContent.trim());
    block.querySelector('.btn-clear')?.click();
    await until(() => !block.querySelector('.live-responses-table'));
    block.querySelector('.opblock-summary-control').click();
    return { ...answer, shown };
  };
  window.mneme = { authorize, isAuthorized, listen, open, send };
`;

export interface PageAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The status that the page shows. */
  readonly shown: string;
}

/** The page of the API in a browser. */
export class ApiPage {
  readonly #tab: Tab;
  readonly #url: string;

  constructor(tab: Tab, serverUrl: string) {
    this.#tab = tab;
    this.#url = `${serverUrl}/v3/docs`;
  }

  /** Opens the page, or loads it again. */
  async load(): Promise<void> {
    await this.#tab.goTo(this.#url);
    await this.#tab.evaluate(`(() => {${ACTIONS}; listen(); })()`);
  }

  authorize(key: string): Promise<void> {
    return this.#tab.evaluate(`mneme.authorize(${JSON.stringify(key)})`);
  }

  /** Resolves when the page has a key. */
  authorized(): Promise<void> {
    return this.#tab.evaluate('mneme.isAuthorized().then(() => undefined)');
  }

  /** Whether the page offers to send the operation. */
  canSend(operationId: string): Promise<boolean> {
    return this.#tab.evaluate(
      `mneme.open('${operationId}').then((block) => block.querySelector('.btn.execute') !== null)`,
    );
  }

  /** Enters the parameters that the page does not show yet, and sends the example as the page shows it, or another body. */
  send(
    { operation, name, form }: Pick<Example, 'operation' | 'name' | 'form'>,
    parameters: Readonly<Record<string, string>>,
    other: Example['body'] = null,
  ): Promise<PageAnswer> {
    const file =
      form === null ? null : { name: 'handbook.md', content: '# Handbook\n\nOffline maps are in the menu.\n' };
    const request = {
      id: operation.operationId,
      parameters,
      example: name,
      body: other && JSON.stringify(other),
      file,
    };
    return this.#tab.evaluate(`mneme.send(${JSON.stringify(request)})`);
  }
}
