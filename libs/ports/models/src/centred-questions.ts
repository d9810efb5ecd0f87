import { add, normalize } from './pooling.ts';

/**
 * Questions of everyday life in 24 languages, each about something else. Their mean has what a model gives every question,
 * whatever it asks.
 */
export const EVERYDAY_QUESTIONS: readonly string[] = [
  'When was the last time we changed the passport photos?',
  'How tall is the tower next to the station?',
  'Welche Impfungen brauche ich für die Reise?',
  'Wer hat gestern im Büro angerufen?',
  'Combien de pages compte le rapport annuel ?',
  'Que penses-tu du nouveau directeur ?',
  '¿Qué libro recomendó la profesora?',
  '¿Dónde se paga la multa de tráfico?',
  'Chi porta il pane alla cena di sabato?',
  'Come si chiama il cane dei signori Rossi?',
  'Quando termina o prazo da candidatura?',
  'Qual é o melhor caminho para a praia?',
  'Hoe heet de nieuwe collega van de boekhouding?',
  'Waar kan ik mijn oude verf inleveren?',
  'Vilken buss går till sjukhuset?',
  'Varför startar inte datorn?',
  'Hvornår skal vi hente billetterne?',
  'Hvad hedder den film om de to brødre?',
  'Ile kosztuje bilet miesięczny?',
  'Kto napisał tę piosenkę?',
  'Kdy se vrací sousedé z dovolené?',
  'Jak se opravuje rozbitá zásuvka?',
  'Где купить запчасти для старого телевизора?',
  'Почему бабушка не любит летать?',
  'Хто допоможе перевезти меблі?',
  'Скільки днів триває відпустка?',
  'Toplantı salonunun anahtarı kimde?',
  'Hangi ilaç aç karnına alınır?',
  'كم عدد الطلاب في الصف؟',
  'من أين نشتري الفاكهة الطازجة؟',
  'बच्चों की परीक्षा कब शुरू होगी?',
  'पुराना लैपटॉप किसने ठीक किया?',
  '护照什么时候到期?',
  '这部电影是谁导演的?',
  '薬は一日に何回飲みますか?',
  '新しい店長はどんな人ですか?',
  '비밀번호를 어디에 적어 두었나요?',
  '할머니는 어떤 음식을 좋아하세요?',
  'Ai sẽ đón bọn trẻ ở trường?',
  'Con đường nào ngắn nhất ra biển?',
  'Berapa lama masa garansi kulkas ini?',
  'Mengapa rapat kemarin dibatalkan?',
  'Πότε λήγει το συμβόλαιο του σπιτιού;',
  'Ποιος έσπασε το βάζο;',
  'Kuka ajoi auton talliin?',
  'Miten sauna lämmitetään?',
  'מתי יוצאת הרכבת האחרונה?',
  'למי שייך התיק הכחול?',
];

/** The part of the mean that is taken from a question. From .3 to .5 nothing changes; with all of it fewer facts are found. */
const PART = 0.5;

/** Returns the mean of unit-length vectors. @param vectors at least one */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array((vectors[0] as Float32Array).length);
  for (const vector of vectors) add(vector, mean);
  return mean.map((value) => value / vectors.length);
}

/**
 * Takes half of the mean of other questions from a question. With it, facts that are near to every question would be near to
 * this one too, and come before its answer.
 * @param vector of unit length, as it is afterwards
 */
export function centre(vector: Float32Array, mean: Float32Array): void {
  for (let d = 0; d < vector.length; d++) vector[d]! -= PART * mean[d]!;
  normalize(vector);
}
