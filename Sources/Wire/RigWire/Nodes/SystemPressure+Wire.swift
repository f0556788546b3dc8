public import CaptureModel
public import RigProtocol

extension SystemPressure {
    public init(wire: WireNodePressure) throws(WireError) {
        let reader = FieldReader("NodePressure")
        var factors: [Factor] = []
        for factor in try reader.list(wire.factors, "factors", limit: WireLimits.labels) {
            factors.append(Factor(rawValue: try reader.word(factor, "factors")))
        }
        self.init(
            level: try reader.word(wire.level, "level", as: Level.self), factors: factors,
            reason: wire.reason.isEmpty ? nil : wire.reason.sentence(limit: WireLimits.reasonByteCount))
    }

    public var wire: WireNodePressure {
        var wire = WireNodePressure()
        wire.level = level.rawValue
        wire.factors = factors.prefix(WireLimits.labels).map(\.rawValue)
        wire.reason = (reason ?? "").sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}
