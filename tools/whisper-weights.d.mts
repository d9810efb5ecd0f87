/** Returns the folder of the model, `<models>/whisper-base`. */
export function putWhisperWeights(models: string): Promise<string>;
