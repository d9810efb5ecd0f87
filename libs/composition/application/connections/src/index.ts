export { connectionDocumentsOf } from './connection-documents.ts';
