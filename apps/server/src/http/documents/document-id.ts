import type { PathParameter } from '../openapi/documented.ts';

export const DOCUMENT_ID: PathParameter = { description: 'Id or customId of the document.', example: 'kick-off' };
