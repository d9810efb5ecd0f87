import { TaggedInput } from '#features/documents/requests';
import { namedTags, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { CountDocuments } from './count-documents.query.ts';

/** Which documents to count. */
@ShownBy({
  'Of a tag': { containerTags: ['project-atlas'] },
})
export class CountDocumentsInput extends TaggedInput {}

export const countDocuments = (principal: Principal, body: CountDocumentsInput): CountDocuments =>
  new CountDocuments(principal, namedTags(body));
