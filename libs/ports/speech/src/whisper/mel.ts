import { SAMPLE_RATE } from '../port.ts';

/** What Whisper hears of a part of a recording: mel bands of short spectra. */

/** Samples of a spectrum, and from one to the next. */
export const SPECTRUM = 400;
export const HOP = 160;
const BANDS = 80;
const BINS = SPECTRUM / 2 + 1;

/** Filters of the real parts, then of the imaginary parts of a spectrum: `[2 * BINS][SPECTRUM]`, in a Hann window. */
export function spectrumFilters(): { readonly data: Float32Array; readonly shape: readonly number[] } {
  const data = new Float32Array(2 * BINS * SPECTRUM);
  for (let bin = 0; bin < BINS; bin++) {
    for (let n = 0; n < SPECTRUM; n++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SPECTRUM);
      const angle = (2 * Math.PI * ((bin * n) % SPECTRUM)) / SPECTRUM;
      data[bin * SPECTRUM + n] = hann * Math.cos(angle);
      data[(BINS + bin) * SPECTRUM + n] = -hann * Math.sin(angle);
    }
  }
  return { data, shape: [2 * BINS, 1, SPECTRUM] };
}

/** Weights of the bins of a spectrum in each band: `[BANDS][BINS]`, of equal area (Slaney's mel scale). */
export function melFilters(): { readonly data: Float32Array; readonly shape: readonly number[] } {
  const top = melOf(SAMPLE_RATE / 2);
  const edges = Array.from({ length: BANDS + 2 }, (_, i) => hertzOf((top * i) / (BANDS + 1)));
  const data = new Float32Array(BANDS * BINS);
  for (let band = 0; band < BANDS; band++) {
    const [low, middle, high] = edges.slice(band, band + 3) as [number, number, number];
    for (let bin = 0; bin < BINS; bin++) {
      const hertz = (bin * SAMPLE_RATE) / SPECTRUM;
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      data[band * BINS + bin] = (Math.max(0, height) * 2) / (high - low);
    }
  }
  return { data, shape: [BANDS, BINS] };
}

/** Linear up to 1,000 Hz, logarithmic above. */
const melOf = (hertz: number): number =>
  hertz < 1_000 ? (hertz * 3) / 200 : 15 + (Math.log(hertz / 1_000) * 27) / Math.log(6.4);
const hertzOf = (mel: number): number =>
  mel < 15 ? (mel * 200) / 3 : 1_000 * Math.exp(((mel - 15) * Math.log(6.4)) / 27);
