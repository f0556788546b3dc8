public import CameraKit
public import CaptureModel
import LibAV
public import RigConfiguration

/// The address of a network camera, and what is known of it. The names are the keys in YAML.
public struct RTSPCameraConfiguration: Hashable, Sendable {
    /// What carries the packets.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        /// The connection of the requests: nothing is lost.
        case tcp
        /// Datagrams, of which some may be lost.
        case udp
    }

    /// Where the camera is.
    public var url: RTSPAddress
    /// A private file with one line `USER:PASSWORD`; nil if the camera asks for none.
    public var credentials: String?
    public var transport: Transport
    public var arrival: ArrivalConfiguration

    init(url: RTSPAddress, credentials: String? = nil, transport: Transport = .tcp, framesPerSecond: Double = 25) {
        self.url = url
        self.credentials = credentials
        self.transport = transport
        arrival = ArrivalConfiguration(framesPerSecond: framesPerSecond)
    }
}

extension RTSPCameraConfiguration: CameraSource {
    public static let key = "rtsp"

    /// Reads the configuration. Neither the camera nor the file is asked for.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let url = mapping.required("url")?.scalar(.address)
        let credentials = mapping.value("credentials")?.filePath()
        let transport = mapping.read("transport", .transport, default: .tcp)
        var arrival = ArrivalConfiguration(framesPerSecond: 25)
        arrival.read(from: mapping)
        mapping.finish()
        guard let url else { return nil }
        self.init(url: url, credentials: credentials, transport: transport)
        self.arrival = arrival
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("url", text: url.url)
            mapping.add("credentials", text: credentials)
            mapping.add("transport", plain: transport.rawValue)
            arrival.write(to: &mapping)
        }
    }

    /// Most cameras serve several viewers.
    public var hardware: String? { nil }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        RTSPCamera(name: name.rawValue, configuration: self, stamps: stamps)
    }
}

extension Scalar<RTSPAddress> {
    fileprivate static var address: Scalar {
        Scalar { text throws(ScalarFault) in
            do throws(RTSPAddress.Fault) {
                return try RTSPAddress(text)
            } catch {
                throw ScalarFault(error.reason)
            }
        }
    }
}

extension Scalar<RTSPCameraConfiguration.Transport> {
    fileprivate static var transport: Scalar {
        Scalar { text throws(ScalarFault) in
            guard let transport = Value(rawValue: text) else {
                throw ScalarFault(
                    "'\(text.excerpt)' is not \(Value.allCases.map(\.rawValue).joined(separator: " or "))")
            }
            return transport
        }
    }
}
