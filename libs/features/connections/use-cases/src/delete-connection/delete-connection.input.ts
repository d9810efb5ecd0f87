import { IsOneOf } from '#platform/input';

/** What happens to the documents. */
export class DeleteConnectionInput {
  /** false: the documents stay. */
  @IsOneOf(['true', 'false'])
  deleteDocuments: 'true' | 'false' = 'true';
}
