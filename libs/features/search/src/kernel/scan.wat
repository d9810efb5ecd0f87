;; The inner loop of an embedded search: reads index entries (entries/layout.ts) in place and writes one record
;; (scan/records.ts) for each entry's header and each of its units. Exact: nothing is pruned.
;;
;; Memory: query term hashes (uint32) at 0, query vector (int16) at 1024, vector of the question's core (int16) at 32768; the
;; host chooses where entries and records are.
(module
  (memory (export "memory") 2 65536)

  ;; Returns a mask of the query terms that occur among the words at $terms: bit q for term q. Stores the count of term q
  ;; in byte q at $counted; bytes of absent terms keep their value.
  (func $matchTerms (param $terms i32) (param $quads i32) (param $queryTerms i32) (param $counted i32) (result i32)
    (local $counts i32) (local $query i32) (local $hash v128) (local $at i32) (local $equal v128) (local $mask i32)
    (local.set $counts (i32.add (local.get $terms) (i32.shl (local.get $quads) (i32.const 4))))
    (block $done (loop $nextTerm
      (br_if $done (i32.ge_u (local.get $query) (local.get $queryTerms)))
      (local.set $hash (v128.load32_splat (i32.shl (local.get $query) (i32.const 2))))
      (local.set $at (local.get $terms))
      (block $absent
        (block $found (loop $nextQuad
          (br_if $absent (i32.ge_u (local.get $at) (local.get $counts)))
          (br_if $found (v128.any_true (local.tee $equal (i32x4.eq (v128.load (local.get $at)) (local.get $hash)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $nextQuad)))
        ;; A count has 1 byte, a term 4.
        (i32.store8
          (i32.add (local.get $counted) (local.get $query))
          (i32.load8_u (i32.add
            (i32.add (local.get $counts) (i32.shr_u (i32.sub (local.get $at) (local.get $terms)) (i32.const 2)))
            (i32.ctz (i32x4.bitmask (local.get $equal))))))
        (local.set $mask (i32.or (local.get $mask) (i32.shl (i32.const 1) (local.get $query)))))
      (local.set $query (i32.add (local.get $query) (i32.const 1)))
      (br $nextTerm)))
    (local.get $mask))

  ;; Returns the dot product of $dimensions int8 values and an int16 vector. $dimensions is a positive multiple of 32.
  (func $dot (param $values i32) (param $dimensions i32) (param $queryVector i32) (result f32)
    (local $even v128) (local $odd v128) (local $end i32)
    (local.set $end (i32.add (local.get $values) (local.get $dimensions)))
    (loop $next
      (local.set $even (i32x4.add (local.get $even)
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $values)) (v128.load (local.get $queryVector)))))
      (local.set $odd (i32x4.add (local.get $odd)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $values)) (v128.load offset=16 (local.get $queryVector)))))
      (local.set $even (i32x4.add (local.get $even)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $values)) (v128.load offset=32 (local.get $queryVector)))))
      (local.set $odd (i32x4.add (local.get $odd)
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $values)) (v128.load offset=48 (local.get $queryVector)))))
      (local.set $queryVector (i32.add (local.get $queryVector) (i32.const 64)))
      (br_if $next (i32.lt_u (local.tee $values (i32.add (local.get $values) (i32.const 32))) (local.get $end))))
    (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
    (f32.convert_i32_s (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
      (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even))))))

  ;; Scans the entries in [$at, $end), writes records of $recordBytes each from $record on, and returns the end of the last
  ;; one. $dimensions is that of the query vector, 0 without one; vectors of other dimensions are ignored. Cosine = dot
  ;; product * stored scale * $scale. $coreScale is 0 without a vector of the question's core.
  (func (export "scan")
    (param $at i32) (param $end i32) (param $record i32) (param $recordBytes i32)
    (param $queryTerms i32) (param $dimensions i32) (param $scale f32) (param $coreScale f32) (result i32)
    (local $units i32) (local $entryDimensions i32) (local $usable i32) (local $quads i32) (local $vectors i32) (local $unit i32)
    (local $others i32)
    (block $done (loop $nextEntry
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $units (i32.load offset=8 (local.get $at)))
      (local.set $entryDimensions (i32.load offset=12 (local.get $at)))
      (local.set $quads (i32.load offset=16 (local.get $at)))
      ;; Vector flags that are compared: all, or none if the dimensions differ.
      (local.set $usable (select (i32.const 15) (i32.const 0) (i32.and
        (i32.ne (local.get $dimensions) (i32.const 0))
        (i32.eq (local.get $dimensions) (local.get $entryDimensions)))))

      ;; The record of the header: its words and the number of units.
      (i32.store (local.get $record) (call $matchTerms
        (i32.add (local.get $at) (i32.const 24)) (local.get $quads) (local.get $queryTerms)
        (i32.add (local.get $record) (i32.const 28))))
      (i32.store offset=4 (local.get $record) (i32.load offset=20 (local.get $at)))
      (i32.store offset=8 (local.get $record) (local.get $units))
      (local.set $record (i32.add (local.get $record) (local.get $recordBytes)))
      (local.set $at (i32.add (i32.add (local.get $at) (i32.const 24)) (i32.mul (local.get $quads) (i32.const 20))))

      (block $entryDone (loop $nextUnit
        (br_if $entryDone (i32.eqz (local.get $units)))
        (local.set $unit (local.get $at))
        (local.set $quads (i32.load (local.get $unit)))
        (local.set $vectors (i32.load8_u offset=13 (local.get $unit)))
        (i32.store (local.get $record) (call $matchTerms
          (i32.add (local.get $unit) (i32.const 24)) (local.get $quads) (local.get $queryTerms)
          (i32.add (local.get $record) (i32.const 28))))
        (i32.store offset=4 (local.get $record) (i32.load offset=4 (local.get $unit)))
        (i32.store offset=8 (local.get $record) (i32.load offset=8 (local.get $unit)))
        (i32.store offset=12 (local.get $record) (i32.or
          (i32.or
            (i32.load8_u offset=12 (local.get $unit))
            (i32.shl (i32.and (local.get $vectors) (local.get $usable)) (i32.const 8)))
          (i32.shl (i32.load16_u offset=14 (local.get $unit)) (i32.const 16))))
        ;; With HAS_NEAR, what the ranking needs for the mean of the neighbours; a wide vector overwrites it below.
        (f32.store offset=20 (local.get $record) (f32.load offset=20 (local.get $unit)))

        (local.set $at (i32.add (i32.add (local.get $unit) (i32.const 24)) (i32.mul (local.get $quads) (i32.const 20))))
        (if (i32.and (local.get $vectors) (i32.const 1)) (then
          (if (local.get $usable) (then
            (f32.store offset=16 (local.get $record) (f32.mul
              (call $dot (local.get $at) (local.get $dimensions) (i32.const 1024))
              (f32.mul (f32.load offset=16 (local.get $unit)) (local.get $scale))))
            (if (f32.ne (local.get $coreScale) (f32.const 0)) (then
              (f32.store offset=24 (local.get $record) (f32.mul
                (call $dot (local.get $at) (local.get $dimensions) (i32.const 32768))
                (f32.mul (f32.load offset=16 (local.get $unit)) (local.get $coreScale))))))))
          (local.set $at (i32.add (local.get $at) (local.get $entryDimensions)))))
        (if (i32.and (local.get $vectors) (i32.const 2)) (then
          (if (local.get $usable) (then
            (f32.store offset=20 (local.get $record) (f32.mul
              (call $dot (local.get $at) (local.get $dimensions) (i32.const 1024))
              (f32.mul (f32.load offset=20 (local.get $unit)) (local.get $scale))))))
          (local.set $at (i32.add (local.get $at) (local.get $entryDimensions)))))
        (if (i32.and (local.get $vectors) (i32.const 8)) (then
          (local.set $others (i32.load (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (block $othersDone (loop $nextOther
            (br_if $othersDone (i32.eqz (local.get $others)))
            (if (local.get $usable) (then
              (f32.store offset=16 (local.get $record) (f32.max
                (f32.load offset=16 (local.get $record))
                (f32.mul
                  (call $dot (i32.add (local.get $at) (i32.const 4)) (local.get $dimensions) (i32.const 1024))
                  (f32.mul (f32.load (local.get $at)) (local.get $scale)))))))
            (local.set $at (i32.add (i32.add (local.get $at) (i32.const 4)) (local.get $entryDimensions)))
            (local.set $others (i32.sub (local.get $others) (i32.const 1)))
            (br $nextOther)))))
        (local.set $record (i32.add (local.get $record) (local.get $recordBytes)))
        (local.set $units (i32.sub (local.get $units) (i32.const 1)))
        (br $nextUnit)))
      (br $nextEntry)))
    (local.get $record)))
