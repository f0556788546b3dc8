extension VirtualCameraConfiguration: Decodable {
    /// Reads a configuration; what is left out keeps its default.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try fields.read(&number, .number)
        try fields.read(&width, .width)
        try fields.read(&height, .height)
        try fields.read(&framesPerSecond, .framesPerSecond)
        preview = try fields.decodeIfPresent(VirtualPreview.self, forKey: .preview)
        try fields.read(&quality, .quality)
        try fields.read(&seed, .seed)
        try fields.read(&phaseMilliseconds, .phaseMilliseconds)
        try fields.read(&jitterMilliseconds, .jitterMilliseconds)
        try fields.read(&driftPPM, .driftPPM)
        try fields.read(&exposureMilliseconds, .exposureMilliseconds)
        try fields.read(&gainDecibels, .gainDecibels)
        try fields.read(&readoutMilliseconds, .readoutMilliseconds)
        try fields.read(&stampBoundMilliseconds, .stampBoundMilliseconds)
        try fields.read(&startDelayMilliseconds, .startDelayMilliseconds)
        try fields.read(&make, .make)
        try fields.read(&model, .model)
        serial = try fields.decodeIfPresent(String.self, forKey: .serial)
        try fields.read(&faults, .faults)
    }
}

extension KeyedDecodingContainer {
    fileprivate func read<Value: Decodable>(_ value: inout Value, _ key: Key) throws {
        value = try decodeIfPresent(Value.self, forKey: key) ?? value
    }
}
