import { listDocuments as documentsOf, ListDocumentsInput, pageOf } from '#features/documents/use-cases';
import { isoTime } from '#platform/kernel';
import { pagination } from '../../http/documents/documents.responses.ts';
import { statusOf } from '../../http/documents/status-words.ts';
import { readTags } from '../caller.ts';
import { listOf, objectOf, PAGINATION, STATUS, TEXT, TEXT_OR_NULL, TIME } from '../schema.ts';
import { paragraphs, STORED, section } from '../stored-text.ts';
import { tool } from '../tool.ts';
import { PAGE, SPACE } from './about.ts';
import { PageOfSpace } from './page-of-space.ts';

export const listDocuments = tool<PageOfSpace>({
  name: 'listDocuments',
  title: 'List documents',
  description: 'Lists saved texts, pages and files of a space, the newest first. getDocument has their content.',
  permission: 'read',
  countedAs: 'request',
  input: PageOfSpace,
  about: { ...PAGE, containerTag: SPACE },
  output: objectOf({
    documents: listOf(
      objectOf({
        ...{ id: TEXT, title: TEXT_OR_NULL, type: TEXT, status: STATUS },
        ...{ createdAt: TIME, updatedAt: TIME, summary: TEXT_OR_NULL },
      }),
    ),
    pagination: PAGINATION,
  }),
  async run({ queries }, caller, { page, limit, containerTag }) {
    const containerTags = [...readTags(caller, containerTag)];
    const input = Object.assign(new ListDocumentsInput(), { page, limit, containerTags });
    const { documents, total } = await queries.execute(documentsOf(caller.principal, input));
    const lines = documents.map(({ row: { id, title, type, summary } }) =>
      [`[${id}] ${title ?? type}`, ...(summary === null ? [] : [summary])].join(': '),
    );
    return {
      text: total === 0 ? 'No documents.' : paragraphs(STORED, section(`${total} documents, page ${page}`, lines)),
      structured: {
        documents: documents.map(({ row }) => ({
          ...{ id: row.id, title: row.title, type: row.type, status: statusOf(row.stage, 'plain') },
          ...{ createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt), summary: row.summary },
        })),
        pagination: { ...pagination(pageOf(input), total) },
      },
    };
  },
});
