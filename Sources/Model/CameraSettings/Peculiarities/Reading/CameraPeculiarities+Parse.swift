internal import CaptureModel
public import RigConfiguration

/// Files of cameras: docs/settings.md describes their keys.
extension CameraPeculiarities {
    /// The most controls of a file.
    private static let controlLimit = 64

    /// Reads a file.
    /// - Parameter file: Its name, for errors.
    /// - Throws: ``ConfigurationError`` with every mistake and its position.
    public init(parsing text: String, file: String) throws(ConfigurationError) {
        self = try YAMLDocument.parse(text, file: file) { CameraPeculiarities($0) }
    }

    private init?(_ file: YAMLMapping) {
        let model = file.required("model")?.scalar(.text(limit: 64))
        let match = CameraMatch(
            make: file.value("make")?.scalar(.text(limit: 64)), model: model ?? "",
            firmware: file.value("firmware")?.scalar(.text(limit: 64)),
            format: file.value("format")?.scalar(.text(limit: 64)))
        // Nobody can judge figures of unknown origin.
        let source = file.required("source")?.scalar(.text(limit: 1024))
        self.init(match: match)
        toneCurve = file.mapping("toneCurve").flatMap { mapping in
            defer { mapping.finish() }
            return ToneCurve(mapping)
        }
        for entry in file.required("controls")?.list(limit: Self.controlLimit) ?? [] {
            guard let mapping = entry.mapping() else { continue }
            read(mapping)
            mapping.finish()
        }
        guard model != nil, source != nil else { return nil }
    }

    private mutating func read(_ control: YAMLMapping) {
        let name = control.required("name")?.scalar(.controlName)
        let isInverted = control.read("inverted", .flag, default: false)
        let curve = control.mapping("curve").flatMap { mapping in
            defer { mapping.finish() }
            return MeasuredCurve(mapping)
        }
        let delay = control.mapping("delayFrames").flatMap { mapping in
            defer { mapping.finish() }
            return FrameDelay(mapping)
        }
        guard let name else { return }
        guard !isKnown(name) else { return control.report(.duplicate, "'\(name)' is described twice") }
        guard isInverted || curve != nil || delay != nil else {
            return control.report(.missingKey, "says nothing: name a curve, inverted: true or delayFrames")
        }
        if isInverted { inverted.insert(name) }
        (curves[name], delays[name]) = (curve, delay)
    }

    private func isKnown(_ name: String) -> Bool {
        inverted.contains(name) || curves[name] != nil || delays[name] != nil
    }
}

extension MeasuredCurve {
    /// Reads a curve; nil, with a reported problem, if it is none.
    fileprivate init?(_ curve: YAMLMapping) {
        let unit = curve.required("unit")?.scalar(.oneOf(PhysicalUnit.self))
        let list = curve.required("points")?.list(limit: Self.limit) ?? []
        guard let unit else { return nil }
        var points: [Point] = []
        for entry in list {
            guard let point = entry.mapping() else { return nil }
            let raw = point.required("raw")?.scalar(.integer(-Self.largest...Self.largest))
            let value = point.required("value")?.scalar(.quantity(unit))
            point.finish()
            guard let raw, let value else { return nil }
            points.append(Point(raw: raw, count: value.count))
        }
        guard let read = MeasuredCurve(unit, points) else {
            curve.report(
                .badValue,
                "needs at least 2 points by ascending raw, whose values ascend or descend all the way")
            return nil
        }
        self = read
    }
}

extension ToneCurve {
    /// Reads a curve; nil, with a reported problem, if it is none.
    fileprivate init?(_ curve: YAMLMapping) {
        let list = curve.required("points")?.list(limit: Self.limit) ?? []
        var points: [(value: Int, light: Double)] = []
        for entry in list {
            guard let point = entry.mapping() else { return nil }
            let value = point.required("value")?.scalar(.integer(0...255))
            let light = point.required("light")?.scalar(.number(0...1))
            point.finish()
            guard let value, let light else { return nil }
            points.append((value, light))
        }
        guard let read = ToneCurve(points) else {
            curve.report(.badValue, "needs at least 2 points from value 0 to 255, ascending in value and light")
            return nil
        }
        self = read
    }
}

extension FrameDelay {
    fileprivate init?(_ delay: YAMLMapping) {
        let range = 0...Self.limit
        let fewest = delay.required("fewest")?.scalar(.integer(range))
        let most = delay.required("most")?.scalar(.integer(range))
        let middle = delay.value("middle")?.scalar(.number(0...Double(ControlDelay.middleLimit) / 1000))
        guard let fewest, let most else { return nil }
        let thousandths = middle.map { Int(($0 * 1000).rounded()) }
        guard let read = FrameDelay(fewest: fewest, most: most, middleThousandths: thousandths) else {
            delay.report(.badValue, "fewest must not be more than most")
            return nil
        }
        self = read
    }
}

extension Scalar<String> {
    /// The name of a control, as `v4l2-ctl` writes it.
    fileprivate static var controlName: Scalar {
        Scalar { text throws(ScalarFault) in
            guard DriverRequest(text, 0) != nil else {
                throw ScalarFault("must be the name of a control: 1 to 64 of a to z, 0 to 9 and '_'")
            }
            return text
        }
    }
}

extension Scalar<PhysicalQuantity> {
    fileprivate static func quantity(_ unit: PhysicalUnit) -> Scalar {
        Scalar { text throws(ScalarFault) in
            guard let quantity = PhysicalQuantity(parsing: text, as: unit) else {
                throw ScalarFault("must be \(unit.example)")
            }
            return quantity
        }
    }
}
