import { eventually, INSTALLATION_KEY, type Mneme, OWNER_KEY } from './mneme.ts';
import type { Example, Operation } from './openapi.ts';

/**
 * Settings of a server that gets the examples: every key of them is accepted, and fetching the page of one ends at once,
 * without a connection to another machine, so that there is a failed document to retry.
 */
export const WITHOUT_SITES = {
  MNEME_INSTALLATION_KEY: INSTALLATION_KEY,
  MNEME_FETCH_LOOPBACK: 'on',
  NODE_OPTIONS: `--import=${new URL('local-names.ts', import.meta.url).href}`,
};

/** Operations that need a browser, what a tool has prepared or a connection, with the status by which they are refused without. */
export const WITH_MORE: Readonly<Record<string, number>> = {
  ...{ createSession: 403, deleteSession: 404, switchOrganization: 404, startSignIn: 404, finishSignIn: 404 },
  uploadPreparedFile: 404,
  ...{ getAuthorizationServer: 404, getAuthorizePage: 404, getAccessRequest: 404, answerAccessRequest: 404 },
  ...{ exchangeToken: 404, revokeToken: 404, registerClient: 404 },
  ...{ getConnectionRequest: 400, answerConnectionRequest: 400, listPickerResources: 400, answerPicker: 400 },
  ...{ returnFromProvider: 400, returnFromProviderShortly: 400, takeNotification: 404, openPicker: 404 },
  ...{ listResources: 404, configureConnection: 404 },
  ...{ getConnection: 404, deleteConnection: 400, confirmRemoval: 404, syncConnection: 404 },
};

/** The key that may call an operation. */
export const keyFor = ({ 'x-permission': permission }: Operation): string =>
  permission === 'installation' ? INSTALLATION_KEY : OWNER_KEY;

/** The form of a request with a small file. Null: it has none. */
export function formOf({ form: fields }: Example): FormData | null {
  if (fields === null) return null;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  form.append('file', new Blob(['# Handbook\n\nOffline maps are in the menu.\n']), 'handbook.md');
  return form;
}

/** Sends the examples of the OpenAPI document in its order: later ones need what earlier ones have returned. */
export class ExampleRun {
  /** By operation and parameter. */
  readonly #received = new Map<string, string>();
  /** Of the first invitation. */
  #token: string | undefined;
  readonly #mneme: Mneme;
  readonly #headers: Record<string, string>;

  /** @param key of the organization that gets the examples */
  constructor(mneme: Mneme, key: string = OWNER_KEY) {
    this.#mneme = mneme;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  /** Returns the parameters of a request by name: examples, and values that responses to other operations have. */
  parametersOf({
    operation,
    parameters,
  }: Example): ReadonlyMap<string, { readonly in: string; readonly value: string }> {
    const values = parameters.flatMap(({ name, in: place, example }) => {
      const value = example ?? this.#received.get(`${operation.operationId} ${name}`);
      return value === undefined ? [] : [[name, { in: place, value: String(value) }] as const];
    });
    return new Map(values);
  }

  /** Returns the body of a request: the example, with what the server has made. */
  bodyOf({ operation, body }: Example): Example['body'] {
    return operation.operationId === 'acceptInvitation' ? { ...body, token: this.#token } : body;
  }

  /** Returns the path and the query of a request. */
  urlOf(example: Example): string {
    let path = example.path;
    const query = new URLSearchParams();
    for (const [name, { in: place, value }] of this.parametersOf(example)) {
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      if (place === 'query') query.set(name, value);
    }
    return `${path}${query.size > 0 ? `?${query}` : ''}`;
  }

  /** Keeps what the response has for other operations, and waits until these can be called. */
  async goOn({ operation, method }: Example, status: number, body: unknown): Promise<void> {
    const { links = {} } = operation.responses[status] ?? {};
    const fields = body as Readonly<Record<string, string>>;
    for (const [operationId, { parameters }] of Object.entries(links)) {
      for (const [name, expression] of Object.entries(parameters)) {
        this.#received.set(`${operationId} ${name}`, fields[expression.replace('$response.body#/', '')] as string);
      }
    }
    if (operation.operationId === 'createInvitation') this.#token ??= fields.token as string;
    if (operation.operationId === 'acceptInvitation') {
      const { member } = body as { readonly member: { readonly id: string } };
      for (const one of ['updateMember', 'removeMember']) this.#received.set(`${one} id`, member.id);
    }
    // The token of a file is the last part of its link.
    if (operation.operationId === 'getFileUrl') {
      this.#received.set('getFile token', fields.url?.split('/').at(-1) as string);
    }
    if (method !== 'GET') await this.#settle();
  }

  /** Waits until all documents are processed and the last merge is completed. */
  async #settle(): Promise<void> {
    await eventually(async () => {
      const { body } = await this.#mneme.post<{ pagination: { totalItems: number } }>(
        '/v3/documents/list',
        { status: ['queued', 'processing'] },
        this.#headers,
      );
      return body.pagination.totalItems === 0 ? true : null;
    });
    const merge = this.#received.get('getContainerTagMerge mergeId');
    if (merge === undefined) return;
    await eventually(async () => {
      const { body } = await this.#mneme.get(`/v3/container-tags/merge/${merge}`, this.#headers);
      return body.status === 'completed' ? true : null;
    });
  }
}
