internal import CMosquitto
internal import Glibc
internal import PosixSupport

/// A connection's thread: the owner of libmosquitto's client, which calls back on it only.
///
/// libmosquitto queues without a bound what it is given, so it is given the next message only while few are under way.
final class ConnectionLoop {
    /// Messages that libmosquitto has and that are not sent, or not confirmed, yet.
    private static let underWayLimit = 16
    /// How often signs of life are looked at.
    private static let interval: CInt = 1000

    private let settings: MQTTSettings
    private let shared: SharedState
    private var isConnected = false
    private var isLeaving = false
    private var ending: MQTTError?
    private var underWay = 0
    /// Filters of subscriptions, and topics of messages, that the broker has not confirmed, by libmosquitto's number.
    private var filters: [CInt: String] = [:]
    private var topics: [CInt: String] = [:]

    init(_ settings: MQTTSettings, _ shared: SharedState) {
        self.settings = settings
        self.shared = shared
    }

    /// The thread's body.
    func run() {
        MosquittoLibrary.prepare()
        // The library keeps the address of this object, which lives until the client is destroyed.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        withExtendedLifetime(self) {
            guard let client = unsafe mosquitto_new(settings.clientID, true, context) else { return }
            unsafe begin(client)
            while ending == nil { unsafe step(client) }
            unsafe mosquitto_destroy(client)
        }
        shared.finish(ending ?? failure(.unusable, "there is no memory for a client"))
    }

    private func begin(_ client: OpaquePointer) {
        unsafe setCallbacks(client)
        unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, CInt(MQTT_PROTOCOL_V5))
        unsafe mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        var result = unsafe setSecurity(client)
        if result == 0, let will = settings.will {
            result = unsafe mosquitto_will_set_v5(
                client, will.topic, CInt(will.payload.count), will.payload, will.quality.rawValue, will.isRetained, nil)
        }
        guard result == 0 else { return ending = failure(.unusable, Self.text(result)) }
        result = unsafe cmosquitto_connect(
            client, settings.host, CInt(settings.port), CInt(settings.keepAliveSeconds),
            UInt32(MQTTConnection.packetLimit))
        if result != 0 { end(result) }
    }

    private func setSecurity(_ client: OpaquePointer) -> CInt {
        if let login = settings.login {
            let result = unsafe mosquitto_username_pw_set(client, login.user, login.password)
            if result != 0 { return result }
        }
        switch settings.tls {
        case nil: return 0
        case .systemAuthorities: return unsafe mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
        case .authorities(let file): return unsafe mosquitto_tls_set(client, file, nil, nil, nil, nil)
        }
    }

    private func step(_ client: OpaquePointer) {
        guard shared.leave != .atOnce else { return ending = closed }
        if isConnected {
            unsafe subscribe(client)
            unsafe publish(client)
            unsafe leaveIfAsked(client)
        } else if shared.leave != nil {
            return ending = closed
        }
        guard ending == nil else { return }
        let result = unsafe cmosquitto_step(client, isConnected, shared.wake.descriptor, Self.interval)
        // Cleared before the next round looks at what there is to do, so that what comes later raises it again.
        shared.wake.clear()
        if result != 0, ending == nil { end(result) }
    }

    private func subscribe(_ client: OpaquePointer) {
        for subscription in shared.removeSubscriptions() {
            var number: CInt = 0
            let options =
                MQTT_SUB_OPT_NO_LOCAL.rawValue | MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue
                | (subscription.wantsRetained ? 0 : MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
            let result = unsafe mosquitto_subscribe_v5(
                client, &number, subscription.filter, MQTTMessage.Quality.atLeastOnce.rawValue, CInt(options), nil)
            guard result == 0 else { return end(result) }
            filters[number] = subscription.filter
        }
    }

    private func publish(_ client: OpaquePointer) {
        while underWay < Self.underWayLimit, ending == nil, let message = shared.removeMessage() {
            var number: CInt = 0
            // Before the call, which may already report that the message is sent.
            underWay += 1
            let result = unsafe mosquitto_publish_v5(
                client, &number, message.topic, CInt(message.payload.count), message.payload, message.quality.rawValue,
                message.isRetained, nil)
            switch mosq_err_t(result) {
            case MOSQ_ERR_SUCCESS:
                if message.quality == .atLeastOnce { topics[number] = message.topic }
            case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_NOMEM: return end(result)
            default:
                // Only this message is not to be sent, such as for its size.
                underWay -= 1
                refused(message.topic, Self.text(result))
            }
        }
    }

    private func leaveIfAsked(_ client: OpaquePointer) {
        guard !isLeaving, underWay == 0, shared.isOutboxEmpty, let leave = shared.leave else { return }
        isLeaving = true
        let reason = leave == .publishingWill ? MQTT_RC_DISCONNECT_WITH_WILL_MSG : MQTT_RC_NORMAL_DISCONNECTION
        _ = unsafe mosquitto_disconnect_v5(client, CInt(reason.rawValue), nil)
    }

    // MARK: What the library tells

    func connected(_ reason: CInt) {
        guard reason == 0 else {
            return ending = failure(.refused, "it does not admit this client: \(Self.reason(reason))")
        }
        isConnected = true
        shared.tell(.connected)
    }

    func disconnected(_ reason: CInt) {
        guard ending == nil else { return }
        guard !isLeaving else { return ending = closed }
        switch reason {
        case CInt(MQTT_RC_SESSION_TAKEN_OVER.rawValue):
            ending = failure(.takenOver, "another client has connected with the id \(settings.clientID)")
        case 0x80...: ending = failure(.lost, "it has ended the connection: \(Self.reason(reason))")
        default: end(reason)
        }
    }

    func sent(_ number: CInt, _ reason: CInt) {
        underWay -= 1
        let topic = topics.removeValue(forKey: number)
        guard reason < 0x80 else { return refused(topic ?? "?", Self.reason(reason)) }
        shared.count { $0.sent += 1 }
    }

    func subscribed(_ number: CInt, _ granted: CInt) {
        guard let filter = filters.removeValue(forKey: number), granted >= 0x80 else { return }
        shared.tell(.subscriptionRefused(filter: filter, reason: Self.reason(granted)))
    }

    func received(_ message: MQTTMessage) { shared.tell(.received(message)) }

    private func refused(_ topic: String, _ reason: String) {
        shared.count { $0.refused += 1 }
        shared.tell(.messageRefused(topic: topic, reason: reason))
    }

    // MARK: The end

    private var closed: MQTTError { failure(.closed, "this end has closed the connection") }

    private func failure(_ code: MQTTError.Code, _ reason: String) -> MQTTError {
        MQTTError(code, broker: "\(settings.host):\(settings.port)", reason: reason)
    }

    /// - Parameter result: A code of libmosquitto, or `CMOSQUITTO_ERRNO` and an errno.
    private func end(_ result: CInt) {
        guard ending == nil else { return }
        let code: MQTTError.Code =
            switch mosq_err_t(result) {
            case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: .tls
            case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: .unreachable
            case MOSQ_ERR_INVAL, MOSQ_ERR_NOMEM, MOSQ_ERR_MALFORMED_UTF8: .unusable
            default:
                isConnected
                    ? .lost : settings.tls != nil && result == CInt(MOSQ_ERR_CONN_LOST.rawValue) ? .tls : .unreachable
            }
        let number = result > CMOSQUITTO_ERRNO ? result - CInt(CMOSQUITTO_ERRNO) : errno
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS: ending = failure(.lost, "it has ended the connection")
        case MOSQ_ERR_EAI: ending = failure(code, "its name has no address")
        case MOSQ_ERR_KEEPALIVE: ending = failure(code, "it gives no sign of life")
        case MOSQ_ERR_ERRNO where number == EPROTO && settings.tls != nil: ending = failure(.tls, "TLS failed")
        case MOSQ_ERR_ERRNO: ending = failure(code, Self.text(errorNumber: number))
        case _ where result > CMOSQUITTO_ERRNO: ending = failure(code, Self.text(errorNumber: number))
        default: ending = failure(code, Self.text(result))
        }
    }

    private static func text(_ result: CInt) -> String {
        unsafe mosquitto_strerror(result).map { unsafe String(cString: $0) } ?? "error \(result)"
    }

    private static func text(errorNumber: CInt) -> String {
        unsafe strerror(errorNumber).map { unsafe String(cString: $0) } ?? "error \(errorNumber)"
    }

    private static func reason(_ code: CInt) -> String {
        unsafe mosquitto_reason_string(code).map { unsafe String(cString: $0) } ?? "reason \(code)"
    }
}

extension ConnectionLoop {
    /// The object whose address the library was given.
    private static func loop(_ context: UnsafeMutableRawPointer?) -> ConnectionLoop? {
        unsafe context.map { unsafe Unmanaged<ConnectionLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setCallbacks(_ client: OpaquePointer) {
        unsafe mosquitto_connect_v5_callback_set(client) { _, context, reason, _, _ in
            unsafe ConnectionLoop.loop(context)?.connected(reason)
        }
        unsafe mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            unsafe ConnectionLoop.loop(context)?.disconnected(reason)
        }
        unsafe mosquitto_publish_v5_callback_set(client) { _, context, number, reason, _ in
            unsafe ConnectionLoop.loop(context)?.sent(number, reason)
        }
        unsafe mosquitto_subscribe_v5_callback_set(client) { _, context, number, count, granted, _ in
            guard count > 0, let granted = unsafe granted else { return }
            unsafe ConnectionLoop.loop(context)?.subscribed(number, granted[0])
        }
        unsafe mosquitto_message_v5_callback_set(client) { _, context, message, _ in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
            let payload = unsafe UnsafeRawBufferPointer(
                start: message.payload, count: unsafe message.payload == nil ? 0 : Int(message.payloadlen))
            unsafe ConnectionLoop.loop(context)?.received(
                MQTTMessage(
                    String(cString: topic), Array(payload),
                    quality: message.qos == 0 ? .atMostOnce : .atLeastOnce, isRetained: message.retain))
        }
    }
}

/// libmosquitto itself, which has to be prepared once.
enum MosquittoLibrary {
    private static let status = mosquitto_lib_init()

    /// The library ignores SIGPIPE in this process from the first client on, as servers do.
    static func prepare() { _ = status }
}
