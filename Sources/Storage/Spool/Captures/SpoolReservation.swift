/// Room set aside in a spool, so that a camera that is armed can also store. Used up by
/// ``Spool/store(_:resolved:timing:files:owed:streamGap:reservation:)``, else given back by ``Spool/cancel(_:)``.
public struct SpoolReservation: Hashable, Sendable {
    let id: UInt64
    /// Bytes set aside.
    public let byteCount: Int64
}
