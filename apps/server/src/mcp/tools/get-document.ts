import { GetDocument } from '#features/documents/use-cases';
import { IsText, Required } from '#platform/input';
import { isoTime } from '#platform/kernel';
import { oneLine } from '#processing/languages';
import { statusOf } from '../../http/documents/status-words.ts';
import { valueOrThrow } from '../../http/errors/refusals.ts';
import { FLAG, objectOf, STATUS, TEXT, TEXT_OR_NULL, TIME } from '../schema.ts';
import { paragraphs, STORED } from '../stored-text.ts';
import { tool } from '../tool.ts';

/** UTF-16 code units of the content that are returned. */
const MOST = 200_000;

class Arguments {
  @Required()
  @IsText({ min: 1, max: 255 })
  documentId!: string;
}

export const getDocument = tool<Arguments>({
  name: 'getDocument',
  title: 'Read a document',
  description: 'Returns a saved text, page or file with its content.',
  permission: 'read',
  countedAs: 'request',
  input: Arguments,
  about: { documentId: 'Id of the document, from listDocuments; or its customId.' },
  output: objectOf({
    document: objectOf({
      ...{ id: TEXT, title: TEXT_OR_NULL, type: TEXT, status: STATUS, createdAt: TIME, updatedAt: TIME },
      ...{ url: TEXT_OR_NULL, summary: TEXT_OR_NULL, content: TEXT_OR_NULL, contentTruncated: FLAG },
    }),
  }),
  async run({ queries }, { principal }, { documentId }) {
    const found = valueOrThrow(await queries.execute(new GetDocument(principal, documentId)));
    const { row } = found;
    const [content, contentTruncated] = await beginningOf('pieces' in found ? found.pieces : found.content);
    const about = [
      `Title: ${oneLine(row.title ?? '–')}`,
      `Type: ${row.type}, ${statusOf(row.stage, 'plain')}, added ${isoTime(row.createdAt)}`,
      ...(row.url === null ? [] : [`URL: ${oneLine(row.url)}`]),
      contentTruncated ? `Content, its first ${MOST} characters, to the end:` : 'Content, to the end:',
    ];
    return {
      text: paragraphs(STORED, about.join('\n'), content ?? '(none yet)'),
      structured: {
        document: {
          ...{ id: row.id, title: row.title, type: row.type, status: statusOf(row.stage, 'plain') },
          ...{ createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt) },
          ...{ url: row.url, summary: row.summary, content, contentTruncated },
        },
      },
    };
  },
});

/** Returns as much of a content as an answer has, and whether there is more. A long one is not read to its end. */
async function beginningOf(content: string | AsyncIterable<string> | null): Promise<readonly [string | null, boolean]> {
  if (content === null) return [null, false];
  let read = '';
  for await (const piece of typeof content === 'string' ? [content] : content) {
    read += piece;
    if (read.length > MOST) return [read.slice(0, MOST).toWellFormed(), true];
  }
  return [read, false];
}
