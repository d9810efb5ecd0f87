export { openReranker } from './open-reranker.ts';
export { RERANKER, type Reranker } from './port.ts';
