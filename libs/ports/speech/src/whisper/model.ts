import { join } from 'node:path';
import { decoderGraph, ENCODER_SAMPLES, encoderGraph, type Sizes, SPECTRA, sizesOf } from './graphs.ts';
import { HOP, SPECTRUM } from './mel.ts';
import { Weights } from './weights.ts';

/** Samples of one part of a recording: 30 seconds. */
export const PART_SAMPLES = SPECTRA * HOP;

type Tensors = Readonly<Record<string, import('onnxruntime-node').Tensor>>;

/** What was heard in a part of a recording, and the tokens that were said of it so far. */
export interface DecodingSession {
  /** Adds a token. @returns the logits of the next one */
  next(token: number): Promise<Float32Array>;
}

/** The networks of Whisper. */
export interface WhisperModel {
  /** @param samples at most `PART_SAMPLES` */
  hear(samples: Float32Array): Promise<() => DecodingSession>;
  close(): Promise<void>;
}

/**
 * Opens a model from the folder with its weights. The graphs are built from them here, which takes about a second.
 * @param threads of one inference
 */
export async function openWhisperModel(folder: string, threads: number): Promise<WhisperModel> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const weights = await Weights.read(join(folder, 'model.bin'));
  const sizes = sizesOf(weights);
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    // Spinning threads would take the core from other work.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  } as const;
  const encoder = await InferenceSession.create(encoderGraph(weights, sizes), options);
  const decoder = await InferenceSession.create(decoderGraph(weights, sizes), options);
  const tokenAt = embeddings(weights, sizes);
  const noPast = { dims: [1, sizes.width / 64, 0, 64], data: new Float32Array(0) };

  return {
    async hear(samples) {
      const heard = await encoder.run({ samples: new Tensor('float32', padded(samples), [1, 1, ENCODER_SAMPLES]) });
      return () => {
        let past: Tensors = Object.fromEntries(
          decoder.inputNames
            .filter((name) => name.startsWith('past.'))
            .map((name) => [name, new Tensor('float32', noPast.data, noPast.dims)]),
        );
        let length = 0;
        return {
          async next(token) {
            const input = new Tensor('float32', tokenAt(token, length), [1, 1, sizes.width]);
            const { logits, ...present } = await decoder.run({ token: input, ...past, ...heard });
            past = Object.fromEntries(
              Object.entries(present).map(([name, tensor]) => [name.replace('present.', 'past.'), tensor]),
            );
            length += 1;
            return logits!.data as Float32Array;
          },
        };
      };
    },
    async close() {
      await encoder.release();
      await decoder.release();
    },
  };
}

/** The sum of the embedding of a token and that of its position. */
function embeddings(weights: Weights, { width }: Sizes): (token: number, position: number) => Float32Array {
  return (token, position) => {
    const at = weights.numbers('decoder/position_encodings/encodings', position, 1);
    const row = weights.numbers('decoder/embeddings/weight', token, 1);
    for (let i = 0; i < width; i++) row[i]! += at[i]!;
    return row;
  };
}

/** Silence follows to the end of the part; both ends are mirrored, as in training. */
function padded(samples: Float32Array): Float32Array {
  const half = SPECTRUM / 2;
  const all = new Float32Array(ENCODER_SAMPLES);
  all.set(samples, half);
  for (let i = 1; i <= half; i++) all[half - i] = all[half + i]!;
  const end = half + PART_SAMPLES;
  for (let i = 0; end + i < all.length; i++) all[end + i] = all[end - 2 - i]!;
  return all;
}
