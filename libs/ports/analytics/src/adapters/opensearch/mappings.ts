/** Requests that a list reaches, from the newest. */
export const MOST_LISTED = 1_000_000;

const keyword = { type: 'keyword' };
const integer = { type: 'integer' };
const stored = { type: 'keyword', index: false, doc_values: false };
/** Milliseconds since the epoch. */
const time = { type: 'long' };

export const REQUESTS = {
  settings: { max_result_window: MOST_LISTED },
  mappings: {
    dynamic: false,
    properties: {
      ...{ id: keyword, organization: keyword, at: time, type: keyword, status: integer, keyId: keyword },
      ...{ method: stored, route: stored, code: stored },
    },
  },
};

/** What is counted is only returned. */
export const PERIODS = {
  settings: {},
  mappings: {
    dynamic: false,
    properties: {
      ...{ id: keyword, organization: keyword, grain: keyword, at: time },
      period: { type: 'object', enabled: false },
    },
  },
};
