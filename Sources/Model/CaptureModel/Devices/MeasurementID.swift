/// The id of a measurement of several cameras at once, such as that of their latencies at one screen. Its client creates it.
public struct MeasurementID: TimeOrderedID {
    public let uuid: TimeOrderedUUID

    public init(_ uuid: TimeOrderedUUID) { self.uuid = uuid }
}
