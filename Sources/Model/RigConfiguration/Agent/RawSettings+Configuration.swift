import CaptureModel

extension RawSettings {
    /// The keys stand beside those of the device.
    init(_ mapping: YAMLMapping) {
        self.init()
        isEnabled = mapping.read("raw", .flag, default: false)
        compression = mapping.read("rawCompression", .oneOf(RawCompression.self), default: .lossless)
        colorMatrix = mapping.value("colorMatrix").flatMap(Self.matrix)
        asShotNeutral = mapping.value("asShotNeutral").flatMap { Self.numbers($0, count: 3, in: 0.001...1000) }
        blackLevel = mapping.value("blackLevel")?.scalar(.integer(0...UInt16.max))
        whiteLevel = mapping.value("whiteLevel")?.scalar(.integer(1...UInt16.max))
        if let blackLevel, let whiteLevel, blackLevel >= whiteLevel {
            mapping.report(.badValue, "blackLevel \(blackLevel) is not below whiteLevel \(whiteLevel)")
        }
    }

    func write(_ mapping: inout MappingBuilder) {
        mapping.add("raw", plain: isEnabled)
        mapping.add("rawCompression", plain: compression.rawValue)
        mapping.add("colorMatrix", plainsIfPresent: colorMatrix)
        mapping.add("asShotNeutral", plainsIfPresent: asShotNeutral)
        mapping.add("blackLevel", plainIfPresent: blackLevel)
        mapping.add("whiteLevel", plainIfPresent: whiteLevel)
    }

    private static func matrix(_ value: YAMLValue) -> [Double]? {
        guard let numbers = numbers(value, count: 9, in: -100...100) else { return nil }
        let products = (0..<3).map { column in
            let (next, last) = ((column + 1) % 3, (column + 2) % 3)
            return numbers[column] * (numbers[3 + next] * numbers[6 + last] - numbers[3 + last] * numbers[6 + next])
        }
        guard abs(products.reduce(0, +)) > 1e-6 else {
            value.report(.badValue, "cannot be inverted, so no colors can be made of it")
            return nil
        }
        return numbers
    }

    private static func numbers(_ value: YAMLValue, count: Int, in range: ClosedRange<Double>) -> [Double]? {
        guard let values = value.list(limit: count) else { return nil }
        guard values.count == count else {
            value.report(.badValue, "has \(values.count) numbers where \(count) are needed")
            return nil
        }
        let numbers = values.compactMap { $0.scalar(.number(range)) }
        return numbers.count == count ? numbers : nil
    }
}
