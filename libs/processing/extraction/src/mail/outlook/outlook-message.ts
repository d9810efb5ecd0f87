import { decodeText } from '../../decoding/decode-text.ts';
import { tooLarge } from '../../failures.ts';
import { htmlToText } from '../../html.ts';
import { bodyOf } from '../body.ts';
import { MAX_FORWARDED, MAX_MESSAGES, type Message } from '../message.ts';
import { CompoundFile, type Storage } from './compound-file.ts';
import { textOfCompressedRtf } from './compressed-rtf.ts';
import { codePageLabel, Properties } from './properties.ts';

const KIND = 'an e-mail of Outlook';

const ID = {
  ...{ subject: 0x0037, submitted: 0x0039, delivered: 0x0e06, created: 0x3007 },
  ...{ senderName: 0x0c1a, senderSmtp: 0x5d01, sender: 0x0c1f, authorName: 0x0042, authorSmtp: 0x5d02, author: 0x0065 },
  ...{ displayedTo: 0x0e04, displayedCc: 0x0e03, recipientType: 0x0c15, name: 0x3001, smtp: 0x39fe, address: 0x3003 },
  ...{ plain: 0x1000, html: 0x1013, rtf: 0x1009, codePageOfPage: 0x3fde },
  ...{ longFileName: 0x3707, fileName: 0x3704 },
};
const TO = 1;
const CC = 2;
const MESSAGE_IN_ATTACHMENT = '__substg1.0_3701000D';

/** Reads a file of Outlook (.msg) with the messages that it forwards. @throws ExtractionError */
export const outlookMessage = (bytes: Uint8Array): Promise<Message> =>
  new OutlookReader().read(new CompoundFile(bytes, KIND).root, 0);

class OutlookReader {
  #messages = 0;

  async read(storage: Storage, depth: number, codePage: number | null = null): Promise<Message> {
    this.#messages += 1;
    if (this.#messages > MAX_MESSAGES) throw tooLarge(`The file has more than ${MAX_MESSAGES} e-mails`);
    const properties = new Properties(storage, depth === 0 ? 'file' : 'forwarded', codePage);
    const forwarded: Message[] = [];
    const attachments: string[] = [];
    for (const part of storagesIn(storage, '__attach_version1.0_')) {
      const message = part.storages.get(MESSAGE_IN_ATTACHMENT);
      if (message !== undefined && depth < MAX_FORWARDED) {
        forwarded.push(await this.read(message(), depth + 1, properties.codePage));
      } else {
        const name = await new Properties(part, 'part', properties.codePage).text(
          ID.longFileName,
          ID.fileName,
          ID.name,
        );
        if (name !== null) attachments.push(name);
      }
    }
    return {
      subject: withoutMark(await properties.text(ID.subject)),
      from: await senderOf(properties),
      ...(await recipientsOf(storage, properties)),
      date: properties.time(ID.submitted) ?? properties.time(ID.delivered) ?? properties.time(ID.created),
      ...{ attachments, forwarded },
      body: await textOf(properties),
    };
  }
}

async function senderOf(properties: Properties): Promise<string> {
  const name = await properties.text(ID.senderName, ID.authorName, ID.senderSmtp, ID.authorSmtp, ID.sender, ID.author);
  return name === null ? '' : unquoted(name);
}

async function recipientsOf(storage: Storage, message: Properties): Promise<Pick<Message, 'to' | 'cc'>> {
  const names = { [TO]: [] as string[], [CC]: [] as string[] };
  for (const recipient of storagesIn(storage, '__recip_version1.0_')) {
    const properties = new Properties(recipient, 'part', message.codePage);
    const type = properties.number(ID.recipientType) ?? TO;
    const name = await properties.text(ID.name, ID.smtp, ID.address);
    if (name !== null && (type === TO || type === CC)) names[type].push(unquoted(name));
  }
  const displayed = async (id: number) => (await message.text(id))?.split(/; */).map(unquoted).join(', ') ?? '';
  return {
    to: names[TO].join(', ') || (await displayed(ID.displayedTo)),
    cc: names[CC].join(', ') || (await displayed(ID.displayedCc)),
  };
}

async function textOf(properties: Properties): Promise<string> {
  const plain = await properties.text(ID.plain);
  const bytes = properties.binary(ID.html);
  const charset = codePageLabel(properties.number(ID.codePageOfPage));
  const html = bytes === null ? await properties.text(ID.html) : (await decodeText(bytes, charset)).text;
  const rtf = properties.binary(ID.rtf);
  if (html !== null) return bodyOf(plain, async () => (await htmlToText(html)).text);
  return bodyOf(plain, rtf === null ? null : () => textOfCompressedRtf(rtf, KIND));
}

/** A mark and the length of the prefix, such as `Re: `, may stand before a subject. */
const withoutMark = (subject: string | null): string | null =>
  subject?.startsWith('\u0001') ? subject.slice(2) : subject;

const storagesIn = (storage: Storage, prefix: string): readonly Storage[] =>
  [...storage.storages.keys()]
    .filter((name) => name.startsWith(prefix))
    .sort()
    .flatMap((name) => storage.storages.get(name)?.() ?? []);

const unquoted = (name: string): string => name.trim().replace(/^'(.*)'$/, '$1');
