import ImageMetadata

extension RawColour {
    /// The fields of IFD0 that say which version a file is of, and which colours its samples are.
    var fields: [TIFFEntry] {
        [
            .octets(0xC612, [1, 4, 0, 0]),
            // Readers of version 1.1 understand everything in the file.
            .octets(0xC613, [1, 1, 0, 0]), .signedRationals(0xC621, colorMatrix),
            .rationals(0xC628, asShotNeutral.map(EXIFRational.init(neutral:))),
            // 21: D65.
            .short(0xC65A, 21),
        ]
    }
}

extension EXIFRational {
    /// A millionth is fine enough; what is beyond 4000 is 4000.
    fileprivate init(neutral value: Double) {
        self.init(UInt32(exactly: (min(value, 4000) * 1_000_000).rounded()) ?? 1_000_000, 1_000_000)
    }
}
