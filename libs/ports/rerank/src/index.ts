export { openReranker } from './open-reranker.ts';
export { RERANK_MS, RERANKER, type RerankedPassage, type Reranker } from './port.ts';
