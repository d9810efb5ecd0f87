/**
 * Pairs of query and stored text, written for this project: everyday statements and questions of many fields. The
 * constants in libs/features/search/src/similarity/calibration.ts were fitted on the first half of each list; the second half is for
 * verification.
 */
export interface Pair {
  readonly asked: string;
  readonly stored: string;
}

const pairs = (...texts: readonly (readonly [asked: string, stored: string])[]): readonly Pair[] =>
  texts.map(([asked, stored]) => ({ asked, stored }));

/** Paraphrases, and questions with the statement that answers them. */
export const PARAPHRASES = pairs(
  ['Which city did Marta move to?', 'Marta relocated to Lisbon at the end of March.'],
  ["What can't Oliver eat?", 'Oliver has a severe peanut allergy.'],
  ['My sister is expecting a baby in June.', 'In June my sister will give birth.'],
  ['He goes jogging before breakfast every day.', 'Each morning he runs before he eats.'],
  ['The landlord raised our rent by fifty euros.', 'The owner of the flat wants fifty euros more every month.'],
  ['How does Priya commute to work?', 'Priya takes her bicycle to the office most days.'],
  ['We cancelled the gym membership.', 'We no longer belong to the gym; the subscription has ended.'],
  ['What instrument does Jonas play?', 'Jonas has been learning the cello since he was nine.'],
  ['The database backup runs every night at two.', 'Each night at 2 am a copy of the database is saved.'],
  ['Who is the new head of marketing?', 'Elena was promoted to lead the marketing department.'],
  ["I can't stand coriander.", 'Cilantro tastes like soap to me, I really dislike it.'],
  ['The car broke down on the motorway.', 'Our vehicle stopped working while we were on the highway.'],
  ["When is grandma's birthday?", 'Grandmother turns eighty on the second of May.'],
  ['She is afraid of flying.', 'Getting on a plane scares her.'],
  ['The meeting was moved to Thursday.', "They rescheduled our meeting; it's on Thursday now."],
  [
    'What is the password policy of the office network?',
    'Passwords on the company network must have fourteen characters and be changed every year.',
  ],
  ['Tom quit his job at the bank.', 'Tom resigned from his position at the bank.'],
  ['The kids are learning to swim.', 'Our children have started swimming lessons.'],
  ['Where do we keep the spare key?', 'The extra house key is under the flowerpot by the back door.'],
  ['I prefer tea over coffee.', "Given the choice I'd rather drink tea than coffee."],
  // Not fitted on:
  ["What is the name of Lena's dog?", 'Lena adopted a beagle and called him Pickle.'],
  ['The flight was delayed by three hours because of fog.', 'Fog made our plane leave three hours late.'],
  ['He wants to become a vet.', 'His dream is to work as an animal doctor.'],
  ['How much did the new laptop cost?', 'I paid 1,300 dollars for the new notebook computer.'],
  ['Her favourite season is autumn.', 'She loves fall more than any other time of the year.'],
  ['Which medicine does dad take for his heart?', 'Father is on beta blockers for his heart condition.'],
  [
    'The deploy failed because a disk was full.',
    'There was no space left on the disk, so the release did not go through.',
  ],
  ["We're vegetarians.", 'Nobody in our household eats meat.'],
  ['What did Amir study?', 'Amir holds a degree in civil engineering.'],
  [
    'The concert sold out within minutes.',
    'A few minutes after the sale began there were no tickets left for the concert.',
  ],
  ["I'd like short answers, please.", 'The user wants replies to be brief.'],
  ['Does Sofia have siblings?', 'Sofia grew up with two older brothers.'],
  ['They got married on a beach in Greece.', 'Their wedding took place by the sea on a Greek island.'],
  ['He broke his arm skiing.', 'While skiing he fractured an arm.'],
  ['When does the library close on Saturdays?', 'On Saturday the library is open until four in the afternoon.'],
  ['Our son is scared of the dark.', "The boy can't sleep without a light because darkness frightens him."],
  ['The project must be finished by the end of October.', 'The deadline of the project is 31 October.'],
  ['What language is Kenji learning?', 'Kenji is taking Portuguese classes on Tuesday evenings.'],
  ['The shop gave me my money back for the broken kettle.', 'I got a refund on the faulty kettle.'],
  ['Mum grows tomatoes on the balcony.', "There are tomato plants on my mother's balcony that she looks after."],
);

/** Texts that differ in spelling, order, or one or two words. */
export const NEAR_VERBATIM = pairs(
  ["Marcus works as a nurse at the children's hospital.", "Marcus works as a nurse in the children's hospital."],
  ['the wifi password is bluewhale42', 'The WiFi password is bluewhale42.'],
  ['My flight to Oslo leaves on Friday at 7:40', 'My flight to Oslo leaves Friday at 7:40.'],
  ['Dinner with the Andersons is on Saturday evening', 'Dinner with the Andersons on Saturday evening.'],
  ['I am allergic to penicillin and shellfish.', "I'm allergic to shellfish and penicillin."],
  ['Our cat Miso had surgery on her left hind leg.', 'Our cat Miso had a surgery on the left hind leg.'],
  ['Invoice 2024-117 was paid by bank transfer', 'Invoice 2024-117 was paid by bank transfer on Monday.'],
  ['Rosa prefers window seats on long flights.', 'Rosa prefers a window seat on long flights.'],
  ['The staging server runs PostgreSQL 16 on port 5433.', 'Staging server runs PostgreSQL 16 on port 5433'],
  ['What is the best way to descale the coffee machine?', "What's the best way to descale a coffee machine?"],
  ['Uncle Pete sold his boat last summer.', 'Uncle Pete sold the boat last summer.'],
  ['Remember to water the orchids every ten days!', 'Remember to water the orchids every ten days.'],
  [
    'The recipe needs 300 grams of flour, two eggs and a pinch of salt.',
    'Recipe: 300 grams of flour, two eggs, a pinch of salt.',
  ],
  ['Nadia finished her thesis about glaciers in Iceland.', 'Nadia has finished her thesis on glaciers in Iceland.'],
  ['We will meet Hannah at the station at noon.', "We'll meet Hannah at the station at noon."],
  ['He always drinks his coffee black, without sugar.', 'He always drinks coffee black without sugar.'],
  ['The dentist appointment is on 14 March at 9:30.', 'Dentist appointment on 14 March, 9:30.'],
  ['Grandpa built the garden shed himself in 1987.', 'Grandpa built this garden shed himself in 1987.'],
  [
    'They named their daughter Ottilie after her great-grandmother.',
    'They named their daughter Ottilie, after the great-grandmother.',
  ],
  ['The quarterly report is due next Wednesday.', 'The quarterly report is due on Wednesday next week.'],
  // Not fitted on:
  ['Julia collects vintage postcards from seaside towns.', 'Julia collects vintage postcards of seaside towns.'],
  ['The garage code is 8264#', 'Garage code: 8264#.'],
  ['I want the summary in bullet points.', 'I want summaries in bullet points.'],
  ['Ben ran the Berlin marathon in under four hours.', 'Ben ran the Berlin Marathon in less than four hours.'],
  ['Our neighbours are moving to Canada in September.', 'Our neighbors are moving to Canada this September.'],
  ['Please call me Sam instead of Samantha', 'Please call me Sam, not Samantha.'],
  ['The boiler was serviced in November by Keller & Sons.', 'Boiler serviced in November by Keller & Sons.'],
  ['Maya is reading a biography of Ada Lovelace.', 'Maya is currently reading a biography of Ada Lovelace.'],
  ['How long should I boil an ostrich egg?', 'How long do I have to boil an ostrich egg?'],
  ['The picnic was called off because of the heavy rain.', 'The picnic was called off because of heavy rain.'],
  ['Leo lost his first tooth yesterday evening.', 'Leo lost his first tooth yesterday evening, at dinner.'],
  ['Error 0x80070057 appears when the installer starts.', 'Error 0x80070057 appears as soon as the installer starts.'],
  [
    'My mother-in-law lives in a small village near Bologna',
    'My mother-in-law lives in a little village near Bologna.',
  ],
  ['The choir rehearses on Tuesdays in the town hall.', 'The choir rehearses every Tuesday in the town hall.'],
  ['Carla teaches chemistry at a secondary school.', 'Carla teaches chemistry at the secondary school.'],
  ['We bought a used electric car, a red one.', 'We bought a used red electric car.'],
  ['Parking permit expires on 30 June 2026.', 'The parking permit expires on 30 June 2026.'],
  ["Dad's blood pressure was 135 over 85 this morning.", "Dad's blood pressure this morning was 135 over 85."],
  ['The team decided to use Kotlin for the new app.', 'The team has decided to use Kotlin for the new app.'],
  ['Aunt Ines makes the best lemon cake in the family.', 'Aunt Ines bakes the best lemon cake in the family.'],
);

/** Unrelated texts; some share a name or a word with two meanings. */
export const UNRELATED = pairs(
  ['Where did Marta go to school?', 'The dishwasher needs a new filter.'],
  ['What does Oliver do on weekends?', 'The invoice from the plumber is overdue.'],
  ['I adopted a kitten from the shelter.', 'The quarterly figures look better than expected.'],
  ['How do I reset the router?', "Grandma's apple pie won the village fair."],
  ['She plays the violin in an orchestra.', 'Our parking space is number forty-two.'],
  ['The train to Prague leaves at noon.', 'He is allergic to cat hair.'],
  ['What is my blood type?', 'The painters will come on Monday to do the hallway.'],
  ['We planted tulips in the garden.', 'The software licence expires in December.'],
  ['My brother is a firefighter.', 'The recipe asks for two cups of sugar.'],
  ['Which hotel did we stay at in Rome?', 'The new keyboard has very loud keys.'],
  ['The exam was harder than I thought.', 'They painted the fence green.'],
  ['He supports Manchester United.', 'The fridge makes a strange noise at night.'],
  ['What gift should I buy for Nina?', 'The server was restarted after the kernel update.'],
  ['I want to learn how to knit.', 'The mortgage rate is fixed for ten years.'],
  ["What colour is Jonas's car?", "Jonas can't stand horror films."],
  ['The bank approved my loan application.', 'We had a picnic on the bank of the river.'],
  ['Spring is my favourite time of the year.', 'A spring in the mattress is broken.'],
  ["When is Sofia's thesis defence?", 'Sofia likes her pizza with extra olives.'],
  ['The bat flew out of the cave at dusk.', 'He forgot his baseball bat at school.'],
  ['How much does the annual pass cost?', 'The dog sleeps at the foot of the bed.'],
  // Not fitted on:
  ['What is the capital gains tax rate?', "Lila's kindergarten closes at four."],
  ['I twisted my ankle playing tennis.', 'The backup job writes to the second disk.'],
  ['Our anniversary is in October.', 'Bamboo grows very quickly in warm climates.'],
  ['Which wine goes with salmon?', 'The battery of the smoke alarm has to be replaced.'],
  ['He writes detective novels.', 'The swimming pool is closed for repairs.'],
  ['The coffee shop on the corner has free wifi.', 'Her grandfather fought in the navy.'],
  ['Do I need a visa for Japan?', 'The hamster escaped from its cage again.'],
  ['The wedding dress is at the tailor.', 'Tests must pass before a branch is merged.'],
  ['My knee hurts when I climb stairs.', 'We watched a documentary about volcanoes.'],
  ['Who won the chess tournament?', 'The bathroom tiles are from Portugal.'],
  ['I am saving up for an electric guitar.', 'The council meets every second Tuesday.'],
  ['What time does the pharmacy open?', 'Their band broke up after the second album.'],
  ['Rice should be rinsed before cooking.', 'The elevator is out of order.'],
  ["Ravi's phone number has changed.", 'It snowed on the mountain pass last night.'],
  ['Which shoes did Ben wear at the marathon?', "Ben's mortgage was approved yesterday."],
  ['The crane lifted the steel beam onto the roof.', 'A crane nests by the lake each summer.'],
  ['Mila is learning sign language.', "Mila's bike was stolen from the yard."],
  ['How do I export the report as a PDF?', 'The goats eat anything, even cardboard.'],
  ['She donated her hair to charity.', 'The tide is lowest around six in the evening.'],
  ['The museum is free on the first Sunday.', 'His glasses are in the blue case.'],
);
