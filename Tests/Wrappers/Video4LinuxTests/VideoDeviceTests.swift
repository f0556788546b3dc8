import Testing
import Video4Linux

struct VideoDeviceTests {
    @Test func aMissingDevicesErrorWouldNotSayWhatWasTried() {
        let error = #expect(throws: VideoError.self) { try VideoDevice(path: "/nowhere/video0") }
        #expect(error?.description == "/nowhere/video0: open: No such file or directory")
    }

    @Test func aFormatsNameWouldBeGarbled() {
        #expect(FourCC("MJPG").rawValue == 0x4750_4a4d)
        #expect(FourCC("Y8").description == "Y8  ")
        #expect(FourCC(rawValue: 1).description == "????")
        #expect(FourCC("Y16").bigEndian.description == "Y16 -BE")
    }
}
