public import RigConfiguration
public import RigSecurity
internal import RigWire
public import ZeroMQ

extension JoinClient {
    /// Asks a coordinator whether it admits a key, for a program whose connections it refuses.
    /// - Parameters:
    ///   - join: The coordinator's join channel.
    ///   - coordinator: The coordinator's key. Without it, no answer counts.
    /// - Returns: nil if the coordinator gives no answer there.
    public func standing(
        of keys: CurveKeyPair, at join: TCPEndpoint, coordinator: CurvePublicKey
    ) async -> KeyStanding? {
        guard let endpoint = try? JoinEndpoint(String("\(join)".dropFirst("tcp://".count))),
            let key = PublicKey(bytes: coordinator.bytes)
        else { return nil }
        do throws(JoinError) {
            switch try await self.join(.standing, at: [endpoint], coordinator: key, keys: keys) {
            case .admitted(let admission, _): return .admitted(admission.name, admission.role)
            case .waiting: return nil
            }
        } catch {
            if case .refused = error.code { return .refused(error.description) }
            return nil
        }
    }
}
