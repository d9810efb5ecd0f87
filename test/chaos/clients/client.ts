import type { OpenKey } from '../keys.ts';
import type { Effect, Expectations, ExpectedDocument } from '../model/expected.ts';
import type { Texts } from '../model/texts.ts';
import type { Random } from '../random.ts';
import type { Report } from '../report.ts';
import type { Connection, Reply, Request } from './connection.ts';

/** What the clients of one key share. */
export interface ClientTools {
  readonly key: OpenKey;
  readonly texts: Texts;
  readonly connection: Connection;
  readonly expectations: Expectations;
  readonly random: Random;
  readonly report: Report;
}

export interface Write {
  /** For the totals, such as `adds`. */
  readonly name: string;
  readonly request: Request;
  readonly effect: Effect;
  /** Whether this answer acknowledges the write. */
  readonly isAcknowledged: (reply: Reply) => boolean;
}

export const documentPath = (id: string): string => `/v3/documents/${encodeURIComponent(id)}`;

/** Makes one request at a time, on documents of its own. */
export class Client {
  readonly tools: ClientTools;
  readonly #name: string;
  #documents: ExpectedDocument[] = [];
  #customIds = 0;

  /** @param name different for each client of a key */
  constructor(name: string, tools: ClientTools) {
    this.tools = tools;
    this.#name = name;
  }

  /** Documents whose state is known and that exist. */
  get live(): readonly ExpectedDocument[] {
    return this.#documents.filter(({ mustExist }) => mustExist);
  }

  /** Documents with a customId whose state is known, deleted ones too. */
  get named(): readonly ExpectedDocument[] {
    return this.#documents.filter(({ customId }) => customId !== null);
  }

  create(isNamed: boolean): ExpectedDocument {
    this.#customIds += 1;
    return this.#keep(isNamed ? `${this.tools.key.names} ${this.#name} ${this.#customIds}` : null);
  }

  /** A new document with the customId of one that is deleted. */
  recreate(deleted: ExpectedDocument): ExpectedDocument {
    this.drop(deleted);
    return this.#keep(deleted.customId);
  }

  /** Makes no more requests for a document. It stays among the expectations. */
  drop(document: ExpectedDocument): void {
    this.#documents = this.#documents.filter((one) => one !== document);
  }

  /** Returns a new text for a document, after its marker is noted. */
  textFor(document: ExpectedDocument): string {
    const { text, marker } = this.tools.texts.next();
    document.markers.push(marker);
    return text;
  }

  /** Sends a write and notes what is known of it then. Returns null if it was not acknowledged. */
  async write(document: ExpectedDocument, { name, request, effect, isAcknowledged }: Write): Promise<Reply | null> {
    const { connection, report } = this.tools;
    const reply = await connection.send(request, { mayGiveUp: true });
    if (reply !== null && isAcknowledged(reply)) {
      document.acknowledged(effect);
      report.count(`${name} acknowledged`);
      return reply;
    }
    if (reply !== null) report.violation(describeAnswer(request, reply));
    document.unknown(effect);
    this.drop(document);
    return null;
  }

  /** Sets the id that an add was answered with. */
  identify(document: ExpectedDocument, id: string): void {
    const { expectations, report } = this.tools;
    if (document.id !== null && document.id !== id) {
      report.violation(`doubled: the document ${document.id} got a second id, ${id}`);
    } else if (!expectations.identify(document, id)) {
      report.violation(`resurrected: an add was answered with the id ${id} of an earlier document`);
    } else return;
    this.drop(document);
  }

  #keep(customId: string | null): ExpectedDocument {
    const document = this.tools.expectations.create(this.tools.key.name, customId);
    this.#documents.push(document);
    return document;
  }
}

export function describeAnswer({ method, path }: Request, { status, body, attempt }: Reply): string {
  return `${method} ${path} at attempt ${attempt} is answered with ${status}: ${JSON.stringify(body).slice(0, 300)}`;
}
